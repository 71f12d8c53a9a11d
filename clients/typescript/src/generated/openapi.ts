// Written by the tests from the OpenAPI document: RECORD_INTERFACE=1 npm test -- --only client-types
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly GenerateRequest: {
            /**
             * @description Model ID.
             * @example nanobanana
             * @example nanobanana-pro
             * @example gpt-image
             */
            readonly model: string;
            /** @description What to generate; for edits, what to change. */
            readonly prompt: string;
            /** @description What to avoid. */
            readonly negative_prompt?: string | null;
            /**
             * @description Default: `16:9`. What a model takes: `GET /v1/models`.
             * @enum {string|null}
             */
            readonly aspect_ratio?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9" | null;
            /** @description How many images to make. Default: `1`. */
            readonly num_outputs?: number | null;
            /**
             * @description Default: `1k`. What a model takes: `GET /v1/models`.
             * @enum {string|null}
             */
            readonly resolution?: "1k" | "2k" | "4k" | null;
            /** @description Images to edit, each as a URL, a data URL in base64, or the ID or URL of a file (`POST /v1/files`). Their presence makes the task an edit. */
            readonly image_urls?: readonly string[] | null;
            /** @description Called when the task has completed or failed. */
            readonly webhook_url?: string | null;
            /** @description Accepted and stored; it has no effect on images. */
            readonly duration?: number | null;
            /**
             * @description Has its own price. Models with one price draw at their own quality. What a model takes: `GET /v1/models`.
             * @enum {string|null}
             */
            readonly quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | null;
            /** @description Of the first image; the next ones have the next seeds. What a model takes: `GET /v1/models`. */
            readonly seed?: number | null;
            /**
             * @description Format of the images. What a model takes: `GET /v1/models`.
             * @enum {string|null}
             */
            readonly output_format?: "png" | "jpeg" | "webp" | null;
            /**
             * @description `transparent` goes with `png` and `webp` only. What a model takes: `GET /v1/models`.
             * @enum {string|null}
             */
            readonly background?: "auto" | "opaque" | "transparent" | null;
            /** @description Texts of your own, such as who asked. They are in every form of the task and on its usage record. */
            readonly metadata?: {
                readonly [key: string]: string;
            } | null;
        };
        readonly TaskOutput: {
            /**
             * Format: uri
             * @description URL of the first image.
             */
            readonly url: string;
            readonly urls: readonly string[];
        };
        readonly TaskImage: {
            /** Format: uri */
            readonly url: string;
            readonly width: number;
            readonly height: number;
            readonly bytes: number;
            readonly content_type: string;
            /** @description Hexadecimal. */
            readonly sha256: string;
            /** @description As the upstream reported it, like the next two. */
            readonly seed?: number;
            readonly quality?: string;
            readonly revised_prompt?: string;
        };
        /** @description Ignore fields that you do not know: later versions may add some. */
        readonly Task: components["schemas"]["TaskPending"] | components["schemas"]["TaskCompleted"] | components["schemas"]["TaskFailed"];
        readonly TaskPending: {
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "pending";
            /** @description Model ID. */
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at?: string;
            /** @description As the request gave it, until the task is erased. Only of a request that gave some. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly TaskCompleted: {
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "completed";
            /** @description Model ID. */
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            readonly output: components["schemas"]["TaskOutput"];
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at: string;
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at: string;
            /** @description As the request gave it, until the task is erased. Only of a request that gave some. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly TaskFailed: {
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "failed";
            /** @description Model ID. */
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            /** @description Why the task failed, in plain words. Only when failed. */
            readonly error: string;
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at: string;
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at: string;
            /** @description As the request gave it, until the task is erased. Only of a request that gave some. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        /** @description A task with `view=full`. */
        readonly FullTask: components["schemas"]["FullTaskPending"] | components["schemas"]["FullTaskCompleted"] | components["schemas"]["FullTaskFailed"];
        readonly FullTaskPending: {
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "pending";
            /** @description Model ID. */
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at?: string;
            /** @description As the request gave it, until the task is erased. Only of a request that gave some. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /** @description Empty unless the task is completed. */
            readonly images: readonly components["schemas"]["TaskImage"][];
            /** @description How many images were asked for. */
            readonly asked: number;
            readonly prompt: string;
            readonly aspect_ratio?: string;
            readonly resolution: string;
            readonly quality?: string;
            readonly seed?: number;
            readonly output_format?: string;
            readonly background?: string;
            /** @description Quality of `jpeg` and `webp` in percent. */
            readonly output_compression?: number;
            /** @description Such as `vivid`. */
            readonly style?: string;
            /**
             * @description How strictly the upstream moderates.
             * @enum {string}
             */
            readonly moderation?: "low";
            /**
             * @description How closely an edit follows its images.
             * @enum {string}
             */
            readonly input_fidelity?: "low" | "high";
            /** @description True for an edit with a mask. Absent otherwise. */
            readonly mask?: boolean;
            /** @description Fields of a request of the facade that the upstream did not use. */
            readonly unused?: readonly string[];
            /**
             * Format: date-time
             * @description When prompt, input URLs and images are erased. Only of a finished task with a retention.
             */
            readonly expires_at?: string;
            /** @description What was paid back. Only after a refund. */
            readonly refunded?: string;
        };
        readonly FullTaskCompleted: {
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "completed";
            /** @description Model ID. */
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            readonly output: components["schemas"]["TaskOutput"];
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at: string;
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at: string;
            /** @description As the request gave it, until the task is erased. Only of a request that gave some. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /** @description Empty unless the task is completed. */
            readonly images: readonly components["schemas"]["TaskImage"][];
            /** @description How many images were asked for. */
            readonly asked: number;
            readonly prompt: string;
            readonly aspect_ratio?: string;
            readonly resolution: string;
            readonly quality?: string;
            readonly seed?: number;
            readonly output_format?: string;
            readonly background?: string;
            /** @description Quality of `jpeg` and `webp` in percent. */
            readonly output_compression?: number;
            /** @description Such as `vivid`. */
            readonly style?: string;
            /**
             * @description How strictly the upstream moderates.
             * @enum {string}
             */
            readonly moderation?: "low";
            /**
             * @description How closely an edit follows its images.
             * @enum {string}
             */
            readonly input_fidelity?: "low" | "high";
            /** @description True for an edit with a mask. Absent otherwise. */
            readonly mask?: boolean;
            /** @description Fields of a request of the facade that the upstream did not use. */
            readonly unused?: readonly string[];
            /**
             * Format: date-time
             * @description When prompt, input URLs and images are erased. Only of a finished task with a retention.
             */
            readonly expires_at?: string;
            /** @description What was paid back. Only after a refund. */
            readonly refunded?: string;
        };
        readonly FullTaskFailed: {
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly status: "failed";
            /** @description Model ID. */
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            /** @description Why the task failed, in plain words. Only when failed. */
            readonly error: string;
            /** @description What was charged; `$0.00` while pending and when failed. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When processing began.
             */
            readonly started_at: string;
            /**
             * Format: date-time
             * @description When the task completed or failed.
             */
            readonly completed_at: string;
            /** @description As the request gave it, until the task is erased. Only of a request that gave some. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /** @description Empty unless the task is completed. */
            readonly images: readonly components["schemas"]["TaskImage"][];
            /** @description How many images were asked for. */
            readonly asked: number;
            readonly prompt: string;
            readonly aspect_ratio?: string;
            readonly resolution: string;
            readonly quality?: string;
            readonly seed?: number;
            readonly output_format?: string;
            readonly background?: string;
            /** @description Quality of `jpeg` and `webp` in percent. */
            readonly output_compression?: number;
            /** @description Such as `vivid`. */
            readonly style?: string;
            /**
             * @description How strictly the upstream moderates.
             * @enum {string}
             */
            readonly moderation?: "low";
            /**
             * @description How closely an edit follows its images.
             * @enum {string}
             */
            readonly input_fidelity?: "low" | "high";
            /** @description True for an edit with a mask. Absent otherwise. */
            readonly mask?: boolean;
            /** @description Fields of a request of the facade that the upstream did not use. */
            readonly unused?: readonly string[];
            /**
             * Format: date-time
             * @description When prompt, input URLs and images are erased. Only of a finished task with a retention.
             */
            readonly expires_at?: string;
            /** @description What was paid back. Only after a refund. */
            readonly refunded?: string;
        };
        readonly Pagination: {
            readonly page: number;
            readonly per_page: number;
            readonly total: number;
            /** @description 0 for an empty list. */
            readonly total_pages: number;
        };
        readonly Model: {
            /** @description Value of `model` in a request. */
            readonly id: string;
            readonly name: string;
            /** @description Name of the model family. Only when it has one. */
            readonly family?: string;
            readonly types: readonly ("image_generate" | "image_edit")[];
            /** @description Price of an image by resolution, of a request without `quality`. A resolution without a price is not offered. */
            readonly price: {
                /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                readonly "1k"?: string;
                /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                readonly "2k"?: string;
                /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                readonly "4k"?: string;
            };
            /** @description Price of an image by quality. Only the resolutions whose price depends on it. */
            readonly prices?: {
                readonly "1k"?: {
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly low?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly medium?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly high?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly xhigh?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly max?: string;
                };
                readonly "2k"?: {
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly low?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly medium?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly high?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly xhigh?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly max?: string;
                };
                readonly "4k"?: {
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly low?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly medium?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly high?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly xhigh?: string;
                    /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                    readonly max?: string;
                };
            };
            readonly aspect_ratios: readonly string[];
            /** @description Input images of one request, at most. */
            readonly max_inputs: number;
            /** @description Output images of one request, at most. */
            readonly max_outputs: number;
            /** @description Optional fields that can be asked for, and their values. */
            readonly accepts: {
                readonly quality?: readonly ("low" | "medium" | "high" | "xhigh" | "max")[];
                /** @description Greatest seed. */
                readonly seed?: number;
                readonly output_format?: readonly ("png" | "jpeg" | "webp")[];
                readonly background: readonly ("opaque" | "transparent")[];
                readonly mask?: boolean;
            };
        };
        readonly UploadedFile: {
            /** @description Can stand in `image_urls`. */
            readonly id: string;
            /**
             * Format: uri
             * @description The same; needs a key to be fetched.
             */
            readonly url: string;
            /** @enum {string} */
            readonly content_type: "image/png" | "image/jpeg" | "image/webp";
            readonly bytes: number;
            /** @description Pixels as they are stored. */
            readonly width: number;
            readonly height: number;
            readonly sha256: string;
            /**
             * Format: date-time
             * @description Until when it is kept, unless a task uses it.
             */
            readonly expires_at: string;
        };
        readonly Quote: {
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit";
            /** @description Output images. */
            readonly units: number;
            /** @description Price of an image. */
            readonly unit_cost: string;
            /** @description What a submit holds. */
            readonly cost: string;
            /** @description The balance and the caps of the key reach for it now. */
            readonly affordable: boolean;
            /** @description Fields of the body that other APIs know and that have no effect here. Absent where there are none. */
            readonly ignored?: readonly string[];
        };
        readonly Cap: {
            /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
            readonly limit: string;
            /** @description Spent and held. */
            readonly used: string;
        };
        readonly Account: {
            readonly id: string;
            /** @description Only with the scope `read`, as `held` and `available`. */
            readonly balance?: string;
            /** @description What open tasks hold. */
            readonly held?: string;
            /** @description The balance less what is held. */
            readonly available?: string;
            readonly key: {
                readonly id: string;
                readonly name: string;
                readonly prefix: string;
                readonly scopes: readonly ("generate" | "read" | "delete")[];
                /** @description Models that the key may use. Only when limited. */
                readonly models?: readonly string[];
                /** @description Networks that it may be used from. Only when limited. */
                readonly allowed_cidrs?: readonly string[];
                /** @description Caps of a day and a month in UTC, and in total. Only when limited. */
                readonly caps?: {
                    readonly day?: components["schemas"]["Cap"];
                    readonly month?: components["schemas"]["Cap"];
                    readonly total?: components["schemas"]["Cap"];
                    /** @description Daily cap of each value of a key of metadata, which requests must give. */
                    readonly day_per?: {
                        readonly key: string;
                        /** @description Dollars, such as `$0.0100`; `$0.00` for nothing. */
                        readonly limit: string;
                    };
                };
            };
        };
        readonly UsageRecord: {
            readonly id: string;
            readonly task_id: string;
            readonly model: string;
            /** @enum {string} */
            readonly type: "image_generate" | "image_edit" | "refund";
            /** @description Output images; 0 for a refund. */
            readonly units: number;
            /** @description Dollars; negative for a refund. */
            readonly cost: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC, with milliseconds.
             */
            readonly created_at: string;
            /**
             * @description Only where the price depends on it.
             * @enum {string}
             */
            readonly quality?: "low" | "medium" | "high" | "xhigh" | "max";
            /** @description Of the task, until it is erased. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly UsageSummaryEntry: {
            /**
             * Format: date-time
             * @description Begin of the hour. Only when grouped by hour.
             */
            readonly hour?: string;
            /**
             * Format: date
             * @description Day in UTC. Only when grouped by day.
             */
            readonly day?: string;
            /** @description Only when grouped by key. */
            readonly api_key_id?: string;
            /** @description Only when grouped by model. */
            readonly model?: string;
            /**
             * @description Only when grouped by quality; absent for usage at plain prices.
             * @enum {string}
             */
            readonly quality?: "low" | "medium" | "high" | "xhigh" | "max";
            /** @description Only when grouped by a key of metadata; absent for usage without it. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /** @description Output images. */
            readonly total_units: number;
            /** @description Dollars, less refunds when these are included. */
            readonly total_cost: string;
            readonly request_count: number;
        };
        readonly WebhookEvent: {
            /** @enum {string} */
            readonly type: "task.completed" | "task.failed";
            /**
             * Format: date-time
             * @description When the task ended.
             */
            readonly timestamp: string;
            readonly data: components["schemas"]["Task"];
        };
        readonly TasksQuery: {
            /** @description How many items a page has at most. Default: `20`. */
            readonly per_page?: number;
            /**
             * @description Only tasks in this status.
             * @enum {string}
             */
            readonly status?: "pending" | "completed" | "failed";
            /**
             * @description Only tasks of this model.
             * @example nanobanana
             * @example nanobanana-pro
             * @example gpt-image
             */
            readonly model?: string;
            /**
             * @description Only tasks of this type.
             * @enum {string}
             */
            readonly type?: "image_generate" | "image_edit";
            /** @description Only tasks created after this time. */
            readonly created_after?: string;
            /** @description Only tasks created before this time. */
            readonly created_before?: string;
            /** @description Only tasks with these entries, such as `metadata[user]=42`. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly UsageQuery: {
            /** @description How many items a page has at most. Default: `20`. */
            readonly per_page?: number;
            /** @description Only usage recorded at this time or later. */
            readonly from?: string;
            /** @description Only usage recorded before this time. */
            readonly to?: string;
            /**
             * @description Only usage of this model.
             * @example nanobanana
             * @example nanobanana-pro
             * @example gpt-image
             */
            readonly model?: string;
            /** @description Only usage of tasks submitted with this API key. */
            readonly api_key_id?: string;
            /** @description Only usage of tasks with these entries, such as `metadata[user]=42`. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /**
             * @description Adds refunds, each at its own time. Sums are then net.
             * @enum {string}
             */
            readonly include?: "refunds";
        };
        readonly UsageSummaryQuery: {
            /** @description Only usage recorded at this time or later. */
            readonly from?: string;
            /** @description Only usage recorded before this time. */
            readonly to?: string;
            /**
             * @description Only usage of this model.
             * @example nanobanana
             * @example nanobanana-pro
             * @example gpt-image
             */
            readonly model?: string;
            /** @description Only usage of tasks submitted with this API key. */
            readonly api_key_id?: string;
            /** @description Only usage of tasks with these entries, such as `metadata[user]=42`. */
            readonly metadata?: {
                readonly [key: string]: string;
            };
            /**
             * @description Adds refunds, each at its own time. Sums are then net.
             * @enum {string}
             */
            readonly include?: "refunds";
            /** @description Fields of an entry, comma-separated: hour, day, key, model, quality, and one `metadata:KEY`. Hours and days are UTC. The entry of usage at plain prices has no `quality`, that of usage without the key no `metadata`. Values beyond the 1,000 dearest are one entry with the value `…`. Default: `model`. */
            readonly group_by?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
