import type { DashboardRole } from '@image-gateway/shared/user/schema';
import {
  Activity,
  BellRing,
  Building2,
  ChartColumn,
  FileImage,
  Gauge,
  Image,
  Images,
  KeyRound,
  Layers,
  LayoutDashboard,
  ListTodo,
  type LucideIcon,
  ReceiptText,
  Scale,
  ScrollText,
  Settings,
  SlidersHorizontal,
  Tags,
  UsersRound,
  Webhook,
} from 'lucide-react';

/** A place that the navigation leads to. */
export interface NavItem {
  readonly to: string;
  readonly name: string;
  readonly icon: LucideIcon;
}

/** Where each role can go. */
export const NAV_ITEMS: Readonly<Record<DashboardRole, readonly NavItem[]>> = {
  owner: [
    { to: '/', name: 'Overview', icon: LayoutDashboard },
    { to: '/playground', name: 'Playground', icon: Image },
    { to: '/models', name: 'Models', icon: Tags },
    { to: '/gallery', name: 'Gallery', icon: Images },
    { to: '/files', name: 'Files', icon: FileImage },
    { to: '/tasks', name: 'Tasks', icon: ListTodo },
    { to: '/keys', name: 'Keys', icon: KeyRound },
    { to: '/usage', name: 'Usage', icon: ChartColumn },
    { to: '/billing', name: 'Billing', icon: ReceiptText },
    { to: '/webhooks', name: 'Webhooks', icon: Webhook },
    { to: '/settings', name: 'Settings', icon: Settings },
  ],
  operator: [
    { to: '/', name: 'System', icon: Gauge },
    { to: '/operator/status', name: 'Status', icon: Activity },
    { to: '/operator/accounts', name: 'Accounts', icon: Building2 },
    { to: '/operator/tasks', name: 'Tasks', icon: ListTodo },
    { to: '/operator/models', name: 'Models', icon: Tags },
    { to: '/operator/providers', name: 'Providers', icon: ChartColumn },
    { to: '/operator/queues', name: 'Queues', icon: Layers },
    { to: '/operator/events', name: 'Events', icon: BellRing },
    { to: '/operator/ledger', name: 'Ledger', icon: Scale },
    { to: '/operator/operators', name: 'Operators', icon: UsersRound },
    { to: '/operator/audit', name: 'Audit log', icon: ScrollText },
    { to: '/operator/settings', name: 'Configuration', icon: SlidersHorizontal },
    { to: '/settings', name: 'Settings', icon: Settings },
  ],
};
