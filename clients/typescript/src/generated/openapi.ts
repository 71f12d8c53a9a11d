// Written by the tests from the OpenAPI document: RECORD_INTERFACE=1 npm test -- --only client-types
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly GenerateRequest: {
            /** Model ID. */ readonly model: string;
            /** What to generate; for edits, what to change. */ readonly prompt: string;
            /** What to avoid. */ readonly negative_prompt?: string | null;
            /** Default: `16:9`. What a model takes: `GET /v1/models`. */ readonly aspect_ratio?: "1:1" | "2:3" | "3:2" | "3:4" | "4:3" | "4:5" | "5:4" | "9:16" | "16:9" | "21:9" | null;
            /** How many images to make. Default: `1`. */ readonly num_outputs?: number | null;
            /** Default: `1k`. What a model takes: `GET /v1/models`. */ readonly resolution?: "1k" | "2k" | "4k" | null;
            /** Images to edit, each as a URL, a data URL in base64, or the ID or URL of a file (`POST /v1/files`). Their presence makes the task an edit. */ readonly image_urls?: readonly string[] | null;
            /** Called when the task has completed or failed. */ readonly webhook_url?: string | null;
            /** Accepted and stored; it has no effect on images. */ readonly duration?: number | null;
            /** Has its own price. Models with one price draw at their own quality. What a model takes: `GET /v1/models`. */ readonly quality?: "auto" | "low" | "medium" | "high" | "xhigh" | "max" | null;
            /** Of the first image; the next ones have the next seeds. What a model takes: `GET /v1/models`. */ readonly seed?: number | null;
            /** Format of the images. What a model takes: `GET /v1/models`. */ readonly output_format?: "png" | "jpeg" | "webp" | null;
            /** `transparent` goes with `png` and `webp` only. What a model takes: `GET /v1/models`. */ readonly background?: "auto" | "opaque" | "transparent" | null;
            /** Texts of your own, such as who asked. They are in every form of the task and on its usage record. */ readonly metadata?: {
                readonly [key: string]: string;
            } | null;
        };
        readonly TaskOutput: {
            /** URL of the first image. */ readonly url: string;
            readonly urls: readonly string[];
        };
        readonly TaskImage: {
            readonly url: string;
            readonly width: number;
            readonly height: number;
            readonly bytes: number;
            readonly content_type: string;
            /** Hexadecimal. */ readonly sha256: string;
            /** As the upstream reported it, like the next two. */ readonly seed?: number;
            readonly quality?: string;
            readonly revised_prompt?: string;
        };
        /** Ignore fields that you do not know: later versions may add some. */ readonly Task: components["schemas"]["TaskPending"] | components["schemas"]["TaskCompleted"] | components["schemas"]["TaskFailed"];
        readonly TaskPending: {
            readonly id: string;
            /** discriminator enum property added by openapi-typescript */ readonly status: "pending";
            /** Model ID. */ readonly model: string;
            readonly type: "image_generate" | "image_edit";
            /** What was charged; `$0.00` while pending and when failed. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** When processing began. */ readonly started_at?: string;
            /** As the request gave it, until the task is erased. Only of a request that gave some. */ readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly TaskCompleted: {
            readonly id: string;
            /** discriminator enum property added by openapi-typescript */ readonly status: "completed";
            /** Model ID. */ readonly model: string;
            readonly type: "image_generate" | "image_edit";
            readonly output: components["schemas"]["TaskOutput"];
            /** What was charged; `$0.00` while pending and when failed. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** When processing began. */ readonly started_at: string;
            /** When the task completed or failed. */ readonly completed_at: string;
            /** As the request gave it, until the task is erased. Only of a request that gave some. */ readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly TaskFailed: {
            readonly id: string;
            /** discriminator enum property added by openapi-typescript */ readonly status: "failed";
            /** Model ID. */ readonly model: string;
            readonly type: "image_generate" | "image_edit";
            /** Why the task failed, in plain words. Only when failed. */ readonly error: string;
            /** What was charged; `$0.00` while pending and when failed. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** When processing began. */ readonly started_at: string;
            /** When the task completed or failed. */ readonly completed_at: string;
            /** As the request gave it, until the task is erased. Only of a request that gave some. */ readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        /** A task with `view=full`. */ readonly FullTask: components["schemas"]["FullTaskPending"] | components["schemas"]["FullTaskCompleted"] | components["schemas"]["FullTaskFailed"];
        readonly FullTaskPending: {
            readonly id: string;
            /** discriminator enum property added by openapi-typescript */ readonly status: "pending";
            /** Model ID. */ readonly model: string;
            readonly type: "image_generate" | "image_edit";
            /** What was charged; `$0.00` while pending and when failed. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** When processing began. */ readonly started_at?: string;
            /** As the request gave it, until the task is erased. Only of a request that gave some. */ readonly metadata?: {
                readonly [key: string]: string;
            };
            /** Empty unless the task is completed. */ readonly images: readonly components["schemas"]["TaskImage"][];
            /** How many images were asked for. */ readonly asked: number;
            readonly prompt: string;
            readonly aspect_ratio?: string;
            readonly resolution: string;
            readonly quality?: string;
            readonly seed?: number;
            readonly output_format?: string;
            readonly background?: string;
            /** Quality of `jpeg` and `webp` in percent. */ readonly output_compression?: number;
            /** Such as `vivid`. */ readonly style?: string;
            /** How strictly the upstream moderates. */ readonly moderation?: "low";
            /** How closely an edit follows its images. */ readonly input_fidelity?: "low" | "high";
            /** True for an edit with a mask. Absent otherwise. */ readonly mask?: boolean;
            /** Fields of a request of the facade that the upstream did not use. */ readonly unused?: readonly string[];
            /** When prompt, input URLs and images are erased. Only of a finished task with a retention. */ readonly expires_at?: string;
            /** What was paid back. Only after a refund. */ readonly refunded?: string;
        };
        readonly FullTaskCompleted: {
            readonly id: string;
            /** discriminator enum property added by openapi-typescript */ readonly status: "completed";
            /** Model ID. */ readonly model: string;
            readonly type: "image_generate" | "image_edit";
            readonly output: components["schemas"]["TaskOutput"];
            /** What was charged; `$0.00` while pending and when failed. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** When processing began. */ readonly started_at: string;
            /** When the task completed or failed. */ readonly completed_at: string;
            /** As the request gave it, until the task is erased. Only of a request that gave some. */ readonly metadata?: {
                readonly [key: string]: string;
            };
            /** Empty unless the task is completed. */ readonly images: readonly components["schemas"]["TaskImage"][];
            /** How many images were asked for. */ readonly asked: number;
            readonly prompt: string;
            readonly aspect_ratio?: string;
            readonly resolution: string;
            readonly quality?: string;
            readonly seed?: number;
            readonly output_format?: string;
            readonly background?: string;
            /** Quality of `jpeg` and `webp` in percent. */ readonly output_compression?: number;
            /** Such as `vivid`. */ readonly style?: string;
            /** How strictly the upstream moderates. */ readonly moderation?: "low";
            /** How closely an edit follows its images. */ readonly input_fidelity?: "low" | "high";
            /** True for an edit with a mask. Absent otherwise. */ readonly mask?: boolean;
            /** Fields of a request of the facade that the upstream did not use. */ readonly unused?: readonly string[];
            /** When prompt, input URLs and images are erased. Only of a finished task with a retention. */ readonly expires_at?: string;
            /** What was paid back. Only after a refund. */ readonly refunded?: string;
        };
        readonly FullTaskFailed: {
            readonly id: string;
            /** discriminator enum property added by openapi-typescript */ readonly status: "failed";
            /** Model ID. */ readonly model: string;
            readonly type: "image_generate" | "image_edit";
            /** Why the task failed, in plain words. Only when failed. */ readonly error: string;
            /** What was charged; `$0.00` while pending and when failed. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** When processing began. */ readonly started_at: string;
            /** When the task completed or failed. */ readonly completed_at: string;
            /** As the request gave it, until the task is erased. Only of a request that gave some. */ readonly metadata?: {
                readonly [key: string]: string;
            };
            /** Empty unless the task is completed. */ readonly images: readonly components["schemas"]["TaskImage"][];
            /** How many images were asked for. */ readonly asked: number;
            readonly prompt: string;
            readonly aspect_ratio?: string;
            readonly resolution: string;
            readonly quality?: string;
            readonly seed?: number;
            readonly output_format?: string;
            readonly background?: string;
            /** Quality of `jpeg` and `webp` in percent. */ readonly output_compression?: number;
            /** Such as `vivid`. */ readonly style?: string;
            /** How strictly the upstream moderates. */ readonly moderation?: "low";
            /** How closely an edit follows its images. */ readonly input_fidelity?: "low" | "high";
            /** True for an edit with a mask. Absent otherwise. */ readonly mask?: boolean;
            /** Fields of a request of the facade that the upstream did not use. */ readonly unused?: readonly string[];
            /** When prompt, input URLs and images are erased. Only of a finished task with a retention. */ readonly expires_at?: string;
            /** What was paid back. Only after a refund. */ readonly refunded?: string;
        };
        readonly Pagination: {
            readonly page: number;
            readonly per_page: number;
            readonly total: number;
            /** 0 for an empty list. */ readonly total_pages: number;
        };
        readonly Model: {
            /** Value of `model` in a request. */ readonly id: string;
            readonly name: string;
            /** Name of the model family. Only when it has one. */ readonly family?: string;
            readonly types: readonly ("image_generate" | "image_edit")[];
            /** Price of an image by resolution, of a request without `quality`. A resolution without a price is not offered. */ readonly price: {
                /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly "1k"?: string;
                /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly "2k"?: string;
                /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly "4k"?: string;
            };
            /** Price of an image by quality. Only the resolutions whose price depends on it. */ readonly prices?: {
                readonly "1k"?: {
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly low?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly medium?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly high?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly xhigh?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly max?: string;
                };
                readonly "2k"?: {
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly low?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly medium?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly high?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly xhigh?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly max?: string;
                };
                readonly "4k"?: {
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly low?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly medium?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly high?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly xhigh?: string;
                    /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly max?: string;
                };
            };
            readonly aspect_ratios: readonly string[];
            /** Input images of one request, at most. */ readonly max_inputs: number;
            /** Output images of one request, at most. */ readonly max_outputs: number;
            /** Optional fields that can be asked for, and their values. */ readonly accepts: {
                readonly quality?: readonly ("low" | "medium" | "high" | "xhigh" | "max")[];
                /** Greatest seed. */ readonly seed?: number;
                readonly output_format?: readonly ("png" | "jpeg" | "webp")[];
                readonly background: readonly ("opaque" | "transparent")[];
                readonly mask?: boolean;
            };
        };
        readonly UploadedFile: {
            /** Can stand in `image_urls`. */ readonly id: string;
            /** The same; needs a key to be fetched. */ readonly url: string;
            readonly content_type: "image/png" | "image/jpeg" | "image/webp";
            readonly bytes: number;
            /** Pixels as they are stored. */ readonly width: number;
            readonly height: number;
            readonly sha256: string;
            /** Until when it is kept, unless a task uses it. */ readonly expires_at: string;
        };
        readonly FileList: {
            readonly files: readonly components["schemas"]["UploadedFile"][];
            readonly pagination: components["schemas"]["Pagination"];
            /** Of all files together. */ readonly bytes: number;
            /** Files that the account may keep. */ readonly max_files: number;
            /** Bytes of files that the account may keep together. */ readonly max_bytes: number;
        };
        readonly Quote: {
            readonly model: string;
            readonly type: "image_generate" | "image_edit";
            /** Output images. */ readonly units: number;
            /** Price of an image. */ readonly unit_cost: string;
            /** What a submit holds. */ readonly cost: string;
            /** The balance and the caps of the key reach for it now. */ readonly affordable: boolean;
            /** Fields of the body that other APIs know and that have no effect here. Absent where there are none. */ readonly ignored?: readonly string[];
        };
        readonly Cap: {
            /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly limit: string;
            /** Spent and held. */ readonly used: string;
        };
        readonly Account: {
            readonly id: string;
            /** Only with the scope `read`, as `held` and `available`. */ readonly balance?: string;
            /** What open tasks hold. */ readonly held?: string;
            /** The balance less what is held. */ readonly available?: string;
            readonly key: {
                readonly id: string;
                readonly name: string;
                readonly prefix: string;
                readonly scopes: readonly ("generate" | "read" | "delete")[];
                /** Models that the key may use. Only when limited. */ readonly models?: readonly string[];
                /** Networks that it may be used from. Only when limited. */ readonly allowed_cidrs?: readonly string[];
                /** Caps of a day and a month in UTC, and in total. Only when limited. */ readonly caps?: {
                    readonly day?: components["schemas"]["Cap"];
                    readonly month?: components["schemas"]["Cap"];
                    readonly total?: components["schemas"]["Cap"];
                    /** Daily cap of each value of a key of metadata, which requests must give. */ readonly day_per?: {
                        readonly key: string;
                        /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly limit: string;
                    };
                };
            };
        };
        readonly StatementItem: {
            readonly id: string;
            /** Captures are what tasks cost: one line a UTC day, which stands last in its day. */ readonly kind: "topup" | "capture" | "refund" | "adjust";
            /** Dollars; negative when it left the account. */ readonly amount: string;
            /** Of the account after this line. */ readonly balance: string;
            /** Who acted. */ readonly by: "you" | "operator" | "system";
            /** Completed tasks of a day of captures. */ readonly tasks?: number;
            /** Task whose cost a refund gave back. */ readonly task_id?: string;
            readonly reference?: string;
            /** Of an adjustment only where the operator shows it. */ readonly reason?: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
        };
        readonly Statement: {
            /** Dollars, such as `$0.0100`; `$0.00` for nothing. */ readonly balance: string;
            /** What open tasks hold. */ readonly held: string;
            /** The balance less what is held. */ readonly available: string;
            readonly items: readonly components["schemas"]["StatementItem"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly RefusalDetails: {
            /** What the request costs, or at least costs. */ readonly needed: string;
            /** The cap of the key that it would exceed. */ readonly limit?: string;
            /** What is spent or held of that cap. */ readonly used?: string;
            /** What the account has left; for keys with the scope `read`. */ readonly available?: string;
            /** Page where the account is topped up. */ readonly top_up_url?: string;
        };
        readonly UsageRecord: {
            readonly id: string;
            readonly task_id: string;
            readonly model: string;
            readonly type: "image_generate" | "image_edit" | "refund";
            /** Output images; 0 for a refund. */ readonly units: number;
            /** Dollars; negative for a refund. */ readonly cost: string;
            /** ISO 8601, UTC, with milliseconds. */ readonly created_at: string;
            /** Only where the price depends on it. */ readonly quality?: "low" | "medium" | "high" | "xhigh" | "max";
            /** Of the task, until it is erased. */ readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly UsageSummaryEntry: {
            /** Begin of the hour. Only when grouped by hour. */ readonly hour?: string;
            /** Day in UTC. Only when grouped by day. */ readonly day?: string;
            /** Only when grouped by key. */ readonly api_key_id?: string;
            /** Only when grouped by model. */ readonly model?: string;
            /** Only when grouped by quality; absent for usage at plain prices. */ readonly quality?: "low" | "medium" | "high" | "xhigh" | "max";
            /** Only when grouped by a key of metadata; absent for usage without it. */ readonly metadata?: {
                readonly [key: string]: string;
            };
            /** Output images. */ readonly total_units: number;
            /** Dollars, less refunds when these are included. */ readonly total_cost: string;
            readonly request_count: number;
        };
        readonly WebhookEvent: {
            readonly type: "task.completed" | "task.failed";
            /** When the task ended. */ readonly timestamp: string;
            readonly data: components["schemas"]["Task"];
        };
        readonly TasksQuery: {
            /** How many items a page has at most. Default: `20`. */ readonly per_page?: number;
            /** Only tasks in this status. */ readonly status?: "pending" | "completed" | "failed";
            /** Only tasks of this model. */ readonly model?: string;
            /** Only tasks of this type. */ readonly type?: "image_generate" | "image_edit";
            /** Only tasks created after this time. */ readonly created_after?: string;
            /** Only tasks created before this time. */ readonly created_before?: string;
            /** Only tasks with these entries, such as `metadata[user]=42`. */ readonly metadata?: {
                readonly [key: string]: string;
            };
        };
        readonly UsageQuery: {
            /** How many items a page has at most. Default: `20`. */ readonly per_page?: number;
            /** Only usage recorded at this time or later. */ readonly from?: string;
            /** Only usage recorded before this time. */ readonly to?: string;
            /** Only usage of this model. */ readonly model?: string;
            /** Only usage of tasks submitted with this API key. */ readonly api_key_id?: string;
            /** Only usage of tasks with these entries, such as `metadata[user]=42`. */ readonly metadata?: {
                readonly [key: string]: string;
            };
            /** Adds refunds, each at its own time. Sums are then net. */ readonly include?: "refunds";
        };
        readonly UsageSummaryQuery: {
            /** Only usage recorded at this time or later. */ readonly from?: string;
            /** Only usage recorded before this time. */ readonly to?: string;
            /** Only usage of this model. */ readonly model?: string;
            /** Only usage of tasks submitted with this API key. */ readonly api_key_id?: string;
            /** Only usage of tasks with these entries, such as `metadata[user]=42`. */ readonly metadata?: {
                readonly [key: string]: string;
            };
            /** Adds refunds, each at its own time. Sums are then net. */ readonly include?: "refunds";
            /** Fields of an entry, comma-separated: hour, day, key, model, quality, and one `metadata:KEY`. Hours and days are UTC. The entry of usage at plain prices has no `quality`, that of usage without the key no `metadata`. Values beyond the 1,000 dearest are one entry with the value `…`. Default: `model`. */ readonly group_by?: string;
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
