// Generated from the OpenAPI document of the dashboard's API by "pnpm dashboard:types".
export interface paths {
    readonly "/generate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Submit a generation or an edit */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["GenerateRequest"];
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["Task"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** API keys, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: readonly components["schemas"]["KeyItem"][];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        /** Make an API key */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /**
                         * Format: date-time
                         * @default null
                         */
                        readonly expires_at?: string | null;
                        /** @default  */
                        readonly name?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["NewKeyView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/keys/{id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Revoke an API key */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                /**
                                 * Format: date-time
                                 * @description ISO 8601, UTC, with milliseconds.
                                 */
                                readonly revoked_at: string;
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/keys/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Replace an API key */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @enum {number} */
                        readonly grace_hours: 0 | 1 | 24 | 168 | 720;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["NewKeyView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This document */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description OpenAPI 3.1. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": Record<string, never>;
                    };
                };
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Accounts, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly page?: number;
                    readonly per_page?: number;
                    readonly q?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly items: readonly components["schemas"]["AccountItem"][];
                                readonly pagination: components["schemas"]["Pagination"];
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One account */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["AccountDetail"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}/adjust": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Correct a balance */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly amount: string;
                        readonly reason: string;
                        readonly reference?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly adjusted: boolean;
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}/credit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Top an account up */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly amount: string;
                        readonly reason: string;
                        readonly reference?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly credited: boolean;
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}/limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Set the limits of an account */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly failed_tasks_seconds?: number | null;
                        readonly key_requests_per_minute: number | null;
                        readonly max_failed_tasks?: number | null;
                        readonly max_open_tasks: number | null;
                        readonly requests_seconds?: number | null;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Resume an account */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Suspend an account */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/accounts/{id}/users/{user}/reset-password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Give a new password */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly user: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly password: string;
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What was changed by hand */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly page?: number;
                    readonly per_page?: number;
                    readonly subject?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly items: readonly components["schemas"]["AuditItem"][];
                                readonly pagination: components["schemas"]["Pagination"];
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/hints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The first hints of each queue */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: readonly components["schemas"]["HintItem"][] | null;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/ledger/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Check the books */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["LedgerReport"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/providers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Calls, costs and circuits */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly hours?: 1 | 24 | 168;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["ProvidersView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/queues": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What waits and what runs */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: readonly components["schemas"]["QueueItem"][];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/system": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The whole gateway at a glance */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["SystemView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/tasks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Open tasks */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly stuck?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: readonly components["schemas"]["OpenTaskItem"][];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/tasks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One task */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["WholeTask"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/tasks/{id}/fail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** End a task at no cost */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/tasks/{id}/refund": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Give back what a task cost */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly reason: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                                readonly refunded: string;
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/tasks/{id}/requeue": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Give a task all its tries again */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The account at a glance */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["OverviewView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Change the password */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly current: string;
                        readonly next: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/playground": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What can be asked for */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["PlaygroundView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who is logged in */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["DashboardSession"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Where the viewer is logged in */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: readonly components["schemas"]["SessionItem"][];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/end-others": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Log out everywhere else */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly ended: number;
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sign-in": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Log in */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly email: string;
                        readonly password: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sign-out": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Log out */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sign-up": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Make an account, unless the address has one; the answer is the same */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly email: string;
                        readonly password: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Tasks, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly created_after?: string | unknown | unknown;
                    readonly created_before?: string | unknown | unknown;
                    readonly model?: "nanobanana" | "nanobanana-pro";
                    readonly page?: number;
                    readonly per_page?: number;
                    readonly status?: "pending" | "completed" | "failed";
                    readonly type?: "image_generate" | "image_edit";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly items: readonly components["schemas"]["TaskItem"][];
                                readonly pagination: components["schemas"]["Pagination"];
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/tasks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One task */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["TaskDetail"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Usage by day and model */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly api_key_id?: string;
                    readonly from?: string;
                    readonly model?: string;
                    readonly to?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["UsageView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/usage.csv": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** A line for each charge and each refund of a span */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly api_key_id?: string;
                    readonly from?: string;
                    readonly model?: string;
                    readonly to?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The lines. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/csv": string;
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Deliveries, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly page?: number;
                    readonly per_page?: number;
                    readonly state?: "pending" | "sending" | "delivered" | "failed";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: {
                                readonly items: readonly components["schemas"]["DeliveryItem"][];
                                readonly pagination: components["schemas"]["Pagination"];
                            };
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/{id}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send a delivery again */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: Record<string, never>;
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What signs webhooks */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["WebhookSecretView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/secret/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Replace the secret */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["WebhookSecretView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhooks/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send a test event */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** Format: uri */
                        readonly url: string;
                    };
                };
            };
            readonly responses: {
                /** @description Done. */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly data: components["schemas"]["WebhookTestView"];
                            readonly error: null;
                        };
                    };
                };
                readonly 400: components["responses"]["Error400"];
                readonly 401: components["responses"]["Error401"];
                readonly 403: components["responses"]["Error403"];
                readonly 404: components["responses"]["Error404"];
                readonly 429: components["responses"]["Error429"];
                readonly 500: components["responses"]["Error500"];
                readonly 503: components["responses"]["Error503"];
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly AccountDetail: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly available: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly balance: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            readonly email: string;
            /** @description null: what everybody may have. */
            readonly failed_tasks_seconds: number | null;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly held: string;
            readonly id: string;
            /** @description Requests of all keys together in `requests_seconds`. */
            readonly key_requests_per_minute: number | null;
            readonly keys: {
                readonly active: number;
                readonly total: number;
            };
            /** @description null: what everybody may have. */
            readonly max_failed_tasks: number | null;
            /** @description null: what everybody may have. */
            readonly max_open_tasks: number | null;
            readonly open_tasks: number;
            readonly requests_seconds: number;
            readonly status: string;
            readonly tasks: number;
            readonly transfers: readonly components["schemas"]["TransferItem"][];
            readonly usage_records: number;
            readonly users: readonly {
                readonly email: string;
                readonly id: string;
            }[];
        };
        readonly AccountItem: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly available: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly balance: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            readonly email: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly held: string;
            readonly id: string;
            readonly open_tasks: number;
            readonly status: string;
            readonly tasks: number;
            readonly usage_records: number;
        };
        readonly AuditItem: {
            readonly action: string;
            readonly actor: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            readonly detail: {
                readonly [key: string]: unknown;
            };
            readonly id: string;
            readonly subject: string;
        };
        readonly CandidateItem: {
            readonly circuit: string;
            readonly model: string;
            /** @description How long it rests after a rate limit; 0: it does not. */
            readonly paused_seconds: number;
            readonly provider: string;
            readonly running: number;
            /** @description Asked last, since it or one of its keys was refused. */
            readonly set_aside: boolean;
        };
        readonly DashboardSession: {
            /** @description The owner's account; null for operators and for nobody. */
            readonly account: {
                readonly id: string;
                /** @enum {string} */
                readonly status: "active" | "suspended";
            } | null;
            /** @description Whether visitors may make an account. */
            readonly allow_signup: boolean;
            /** @description What clients put before `/v1`. */
            readonly base_url: string;
            /** @description What result URLs begin with. */
            readonly file_url: string;
            readonly user: components["schemas"]["DashboardUser"] | null;
        };
        readonly DashboardUser: {
            readonly email: string;
            readonly id: string;
            /**
             * @description Owns one account, or operates the gateway.
             * @enum {string}
             */
            readonly role: "owner" | "operator";
        };
        readonly DeliveryAttempt: {
            readonly attempt: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly ended_at: string;
            readonly error: string | null;
            /** @description HTTP status of the answer; null when there was none. */
            readonly status: number | null;
        };
        readonly DeliveryItem: {
            readonly attempt: number;
            /** @description Newest first. */
            readonly attempts: readonly components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly delivered_at: string | null;
            readonly id: string;
            readonly last_error: string | null;
            /** @description HTTP status of the answer; null when there was none. */
            readonly last_status: number | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly next_attempt_at: string | null;
            /** @enum {string} */
            readonly state: "pending" | "sending" | "delivered" | "failed";
            readonly task_id: string;
            readonly url: string;
        };
        readonly GenerateRequest: {
            /**
             * @default 16:9
             * @enum {string|null}
             */
            readonly aspect_ratio?: "16:9" | "9:16" | null;
            /** @description Accepted and stored; it has no effect on images. */
            readonly duration?: number | null;
            /** @description Images to edit; their presence makes the task an edit. */
            readonly image_urls?: readonly string[] | null;
            /**
             * @description Model ID.
             * @enum {string}
             */
            readonly model: "nanobanana" | "nanobanana-pro";
            /** @description What to avoid. */
            readonly negative_prompt?: string | null;
            /**
             * @description How many images to make.
             * @default 1
             */
            readonly num_outputs?: number | null;
            /** @description What to generate; for edits, what to change. */
            readonly prompt: string;
            /**
             * @default 1k
             * @enum {string|null}
             */
            readonly resolution?: "1k" | "2k" | "4k" | null;
            /** @description Called when the task has completed or failed. */
            readonly webhook_url?: string | null;
        };
        readonly HintItem: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly added_at: string;
            readonly id: string;
            /** @enum {string} */
            readonly queue: "generation" | "webhook";
            readonly state: string;
        };
        readonly KeyItem: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly expires_at: string | null;
            readonly id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly last_used_at: string | null;
            readonly name: string;
            readonly prefix: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly revoked_at: string | null;
        };
        readonly LedgerReport: {
            readonly broken: readonly {
                readonly name: string;
                readonly rows: readonly {
                    readonly [key: string]: string;
                }[];
            }[];
            readonly checked: number;
            readonly ms: number;
        };
        readonly NewKeyView: {
            readonly id: string;
            /** @description Shown this once. */
            readonly key: string;
            readonly prefix: string;
        };
        readonly OpenTaskItem: {
            readonly account_id: string;
            readonly asked: number;
            readonly attempt: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly deadline_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly due_at: string;
            readonly email: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly held: string;
            readonly id: string;
            /** @description Overdue, out of its lease or near its deadline. */
            readonly is_stuck: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly lease_until: string | null;
            readonly model: string;
            readonly phase: string;
            readonly stored: number;
            readonly tries: number;
            readonly worker: string | null;
        };
        readonly OverviewView: {
            readonly active_keys: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly available: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly balance: string;
            /** @description Tasks of the last thirty days that ended so. */
            readonly completed: number;
            /** @description The last thirty days, oldest first, days without usage included. */
            readonly days: readonly components["schemas"]["SpendDay"][];
            readonly failed: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly held: string;
            readonly last_tasks: readonly components["schemas"]["TaskItem"][];
            readonly open_tasks: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly spent: string;
        };
        readonly Pagination: {
            readonly page: number;
            readonly per_page: number;
            readonly total: number;
            /** @description 0 for an empty list. */
            readonly total_pages: number;
        };
        readonly PlaygroundView: {
            readonly aspect_ratios: readonly string[];
            readonly limits: {
                readonly input_images: number;
                readonly negative_prompt_characters: number;
                readonly outputs: number;
                readonly prompt_characters: number;
            };
            readonly models: readonly {
                readonly id: string;
                /** @description Of one image, by resolution. */
                readonly prices: {
                    readonly [key: string]: string;
                };
            }[];
            readonly resolutions: readonly string[];
        };
        readonly ProviderCallItem: {
            readonly attempt: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly cost: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            readonly detail: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly finished_at: string | null;
            readonly id: string;
            readonly images_asked: number;
            readonly key: string | null;
            readonly latency_ms: number | null;
            readonly model: string;
            readonly provider: string;
            readonly provider_request_id: string | null;
            readonly state: string;
        };
        readonly ProviderItem: {
            readonly calls: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly cost: string;
            readonly failed: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly last_call_at: string | null;
            readonly open: number;
            /** @description Milliseconds; null without a call that has ended. */
            readonly p50_ms: number | null;
            readonly p95_ms: number | null;
            readonly provider: string;
            readonly rate_limited: number;
            readonly refused: number;
            readonly succeeded: number;
            readonly unknown: number;
        };
        readonly ProvidersView: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly cost: string;
            readonly hours: number;
            /** @description Dollars, perhaps negative. */
            readonly margin: string;
            readonly providers: readonly components["schemas"]["ProviderItem"][];
            /** @description Dollars, perhaps negative. */
            readonly revenue: string;
            readonly workers: readonly components["schemas"]["WorkerItem"][];
        };
        readonly QueueItem: {
            /** @description Processes that take from the queue; null when Redis does not answer. */
            readonly consumers: number | null;
            readonly due: number;
            /** @description Hints in Redis; null when it does not answer. */
            readonly hints: number | null;
            readonly later: number;
            /** @enum {string} */
            readonly name: "generation" | "webhook";
            /** @description How long the oldest due one has waited; null when none is due. */
            readonly oldest_seconds: number | null;
            readonly running: number;
        };
        readonly SessionItem: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly expires_at: string;
            readonly id: string;
            readonly ip_address: string | null;
            readonly is_current: boolean;
            readonly user_agent: string | null;
        };
        readonly SpendDay: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly cost: string;
            /**
             * Format: date
             * @description Such as `2026-01-31` (UTC).
             */
            readonly day: string;
            readonly units: number;
        };
        readonly SystemView: {
            readonly accounts: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly balances: string;
            readonly completed_today: number;
            readonly failed_today: number;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly held: string;
            readonly open_tasks: number;
            /** @description Dollars, perhaps negative. */
            readonly revenue_today: string;
            readonly stuck_tasks: number;
            readonly suspended: number;
            readonly webhooks_failed_today: number;
        };
        readonly Task: {
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at?: string;
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /** @description Why the task failed, in plain words. Only when failed. */
            readonly error?: string;
            readonly id: string;
            /** @description Model ID. */
            readonly model: string;
            /** @description Only when completed. */
            readonly output?: {
                /**
                 * Format: uri
                 * @description URL of the first image.
                 */
                readonly url: string;
                readonly urls: readonly string[];
            };
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at?: string;
            /** @enum {string} */
            readonly status: "pending" | "completed" | "failed";
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
        };
        readonly TaskDetail: {
            readonly api_key: {
                readonly id: string;
                readonly name: string | null;
            };
            readonly aspect_ratio: string;
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at?: string;
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly deadline_at: string;
            readonly delivery: components["schemas"]["DeliveryItem"] | null;
            /** @description Why the task failed, in plain words. Only when failed. */
            readonly error?: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly held: string;
            readonly id: string;
            readonly image_urls: readonly string[];
            /** @description Model ID. */
            readonly model: string;
            readonly negative_prompt: string | null;
            readonly num_outputs: number;
            /** @description Only when completed. */
            readonly output?: {
                /**
                 * Format: uri
                 * @description URL of the first image.
                 */
                readonly url: string;
                readonly urls: readonly string[];
            };
            readonly outputs: readonly components["schemas"]["TaskOutputView"][];
            /** @enum {string} */
            readonly phase: "queued" | "running" | "done";
            readonly prompt: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly refunded: string | null;
            readonly request_id: string;
            readonly resolution: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at?: string;
            /** @enum {string} */
            readonly status: "pending" | "completed" | "failed";
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly unit_price: string;
            readonly webhook_url: string | null;
        };
        readonly TaskItem: {
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at?: string;
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /** @description Why the task failed, in plain words. Only when failed. */
            readonly error?: string;
            readonly id: string;
            /** @description Model ID. */
            readonly model: string;
            readonly num_outputs: number;
            /** @description Only when completed. */
            readonly output?: {
                /**
                 * Format: uri
                 * @description URL of the first image.
                 */
                readonly url: string;
                readonly urls: readonly string[];
            };
            readonly prompt: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at?: string;
            /** @enum {string} */
            readonly status: "pending" | "completed" | "failed";
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
        };
        readonly TaskOutputView: {
            readonly bytes: number;
            readonly content_type: string;
            readonly height: number;
            readonly index: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly stored_at: string;
            readonly url: string;
            readonly width: number;
        };
        readonly TransferItem: {
            /** @description With a minus when it left the account. */
            readonly amount: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            readonly id: string;
            readonly kind: string;
            readonly reason: string | null;
            readonly reference: string | null;
            readonly task_id: string | null;
        };
        readonly UsageDay: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly cost: string;
            /**
             * Format: date
             * @description Such as `2026-01-31` (UTC).
             */
            readonly day: string;
            readonly model: string;
            readonly requests: number;
            readonly units: number;
        };
        readonly UsageView: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly charged: string;
            readonly days: readonly components["schemas"]["UsageDay"][];
            /**
             * Format: date
             * @description Such as `2026-01-31` (UTC).
             */
            readonly from: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly refunded: string;
            readonly requests: number;
            /**
             * Format: date
             * @description Inclusive.
             */
            readonly to: string;
            readonly units: number;
        };
        readonly WebhookSecretView: {
            /**
             * Format: date-time
             * @description Until when the secret before this one signs too; null when there is none.
             */
            readonly previous_until: string | null;
            readonly secret: string;
        };
        readonly WebhookTestView: {
            /** @description Why there was no answer, in plain words. */
            readonly error: string | null;
            readonly id: string;
            readonly ms: number;
            /** @description HTTP status of the answer; null when there was none. */
            readonly status: number | null;
        };
        readonly WholeTask: {
            readonly account_id: string;
            readonly api_key_id: string;
            readonly asked: number;
            readonly aspect_ratio: string;
            readonly attempt: number;
            readonly calls: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly completed_at: string | null;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly deadline_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly due_at: string;
            readonly error: string | null;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly hold: string;
            readonly id: string;
            readonly input_images: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly lease_until: string | null;
            readonly ledger: readonly {
                /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                readonly amount: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, with milliseconds.
                 */
                readonly created_at: string;
                readonly id: string;
                readonly kind: string;
                readonly reason: string | null;
            }[];
            /** @description null while pending. */
            readonly margin: string | null;
            readonly model: string;
            readonly outputs: readonly {
                readonly bytes: number;
                readonly content_type: string;
                readonly height: number;
                readonly index: number;
                readonly key: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, with milliseconds.
                 */
                readonly stored_at: string;
                readonly width: number;
            }[];
            readonly phase: string;
            readonly provider_calls: readonly components["schemas"]["ProviderCallItem"][];
            readonly request_id: string;
            readonly resolution: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly started_at: string | null;
            readonly status: string;
            readonly stored: number;
            readonly tries: number;
            readonly type: string;
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly unit_price: string;
            /** @description What its calls cost, at list price where a provider does not say. */
            readonly upstream_cost: string;
            readonly webhook: {
                readonly attempt: number;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, with milliseconds.
                 */
                readonly delivered_at: string | null;
                readonly host: string;
                readonly id: string;
                readonly last_error: string | null;
                readonly last_status: number | null;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC, with milliseconds.
                 */
                readonly next_attempt_at: string | null;
                readonly state: string;
            } | null;
            readonly worker: string | null;
        };
        readonly WorkerItem: {
            readonly alive: boolean;
            readonly candidates: readonly components["schemas"]["CandidateItem"][];
            readonly host: string;
            readonly id: string;
            readonly pid: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly seen_at: string;
            readonly service: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly started_at: string;
        };
    };
    responses: {
        /** @description `BAD_REQUEST` or `VALIDATION_ERROR` */
        readonly Error400: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "BAD_REQUEST" | "VALIDATION_ERROR";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `UNAUTHORIZED` */
        readonly Error401: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "UNAUTHORIZED";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `FORBIDDEN` or `INSUFFICIENT_BALANCE` */
        readonly Error403: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "FORBIDDEN" | "INSUFFICIENT_BALANCE";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `NOT_FOUND` */
        readonly Error404: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "NOT_FOUND";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `RANGE_NOT_SATISFIABLE` */
        readonly Error416: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "RANGE_NOT_SATISFIABLE";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `RATE_LIMITED` */
        readonly Error429: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "RATE_LIMITED";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `INTERNAL_ERROR` */
        readonly Error500: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "INTERNAL_ERROR";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `UPSTREAM_ERROR`: part of the error table, and not sent today. Submission is asynchronous: an upstream failure ends in a `failed` task. */
        readonly Error502: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "UPSTREAM_ERROR";
                        readonly message: string;
                    };
                };
            };
        };
        /** @description `SERVICE_UNAVAILABLE` */
        readonly Error503: {
            headers: {
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": {
                    readonly data: null;
                    readonly error: {
                        /** @enum {string} */
                        readonly code: "SERVICE_UNAVAILABLE";
                        readonly message: string;
                    };
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description What is left: `"key";r=599;t=1` means 599 requests, and the full quota in 1 s. */
        readonly RateLimit: string;
        /** @description The limits: `"key";q=600;w=60, "ip";q=1200;w=60` means 600 requests in 60 s for the key. `account` counts all keys of an account, `auth` failed authentications of the address, `files` what it fetches without a key. */
        readonly "RateLimit-Policy": string;
        /** @description When to come back, in whole seconds. */
        readonly "Retry-After": number;
        /** @description The id of the request; name it when you ask for help. */
        readonly "X-Request-Id": string;
    };
    pathItems: never;
}
export type AccountDetail = components['schemas']['AccountDetail'];
export type AccountItem = components['schemas']['AccountItem'];
export type AuditItem = components['schemas']['AuditItem'];
export type CandidateItem = components['schemas']['CandidateItem'];
export type DashboardSession = components['schemas']['DashboardSession'];
export type DashboardUser = components['schemas']['DashboardUser'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryItem = components['schemas']['DeliveryItem'];
export type GenerateRequest = components['schemas']['GenerateRequest'];
export type HintItem = components['schemas']['HintItem'];
export type KeyItem = components['schemas']['KeyItem'];
export type LedgerReport = components['schemas']['LedgerReport'];
export type NewKeyView = components['schemas']['NewKeyView'];
export type OpenTaskItem = components['schemas']['OpenTaskItem'];
export type OverviewView = components['schemas']['OverviewView'];
export type Pagination = components['schemas']['Pagination'];
export type PlaygroundView = components['schemas']['PlaygroundView'];
export type ProviderCallItem = components['schemas']['ProviderCallItem'];
export type ProviderItem = components['schemas']['ProviderItem'];
export type ProvidersView = components['schemas']['ProvidersView'];
export type QueueItem = components['schemas']['QueueItem'];
export type SessionItem = components['schemas']['SessionItem'];
export type SpendDay = components['schemas']['SpendDay'];
export type SystemView = components['schemas']['SystemView'];
export type Task = components['schemas']['Task'];
export type TaskDetail = components['schemas']['TaskDetail'];
export type TaskItem = components['schemas']['TaskItem'];
export type TaskOutputView = components['schemas']['TaskOutputView'];
export type TransferItem = components['schemas']['TransferItem'];
export type UsageDay = components['schemas']['UsageDay'];
export type UsageView = components['schemas']['UsageView'];
export type WebhookSecretView = components['schemas']['WebhookSecretView'];
export type WebhookTestView = components['schemas']['WebhookTestView'];
export type WholeTask = components['schemas']['WholeTask'];
export type WorkerItem = components['schemas']['WorkerItem'];
export type ResponseError400 = components['responses']['Error400'];
export type ResponseError401 = components['responses']['Error401'];
export type ResponseError403 = components['responses']['Error403'];
export type ResponseError404 = components['responses']['Error404'];
export type ResponseError416 = components['responses']['Error416'];
export type ResponseError429 = components['responses']['Error429'];
export type ResponseError500 = components['responses']['Error500'];
export type ResponseError502 = components['responses']['Error502'];
export type ResponseError503 = components['responses']['Error503'];
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
