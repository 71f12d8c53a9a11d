import { formatDollars } from '@image-gateway/shared/money';

/** The columns of an account that operators see in a list. */
export interface AccountView {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly balanceMicros: bigint;
  readonly heldMicros: bigint;
  readonly openCount: number;
  readonly taskCount: bigint;
  readonly usageCount: bigint;
  readonly createdAt: Date;
}

/** Presents an account to an operator: money as dollar strings, no secret. */
export function presentAccount(account: AccountView) {
  return {
    id: account.id,
    email: account.email,
    status: account.status,
    balance: formatDollars(account.balanceMicros),
    held: formatDollars(account.heldMicros),
    available: formatDollars(account.balanceMicros - account.heldMicros),
    open_tasks: account.openCount,
    tasks: Number(account.taskCount),
    usage_records: Number(account.usageCount),
    created_at: account.createdAt.toISOString(),
  };
}
