/** A Task as clients see it. */
export interface Task {
  id: string;
  status: 'pending' | 'completed' | 'failed';
  model: string;
  type: 'image_generate' | 'image_edit';
  output?: { url: string; urls: string[] };
  error?: string;
  cost: string;
  created_at: string;
  started_at?: string;
  completed_at?: string;
}

/** One page of a list endpoint. */
export interface Page<T> {
  items: T[];
  pagination: { page: number; per_page: number; total: number; total_pages: number };
}

/** One item of GET /v1/usage. */
export interface UsageRecord {
  id: string;
  task_id: string;
  model: string;
  type: string;
  units: number;
  cost: string;
  created_at: string;
}

/** One entry of GET /v1/usage/summary. */
export interface UsageSummaryEntry {
  model: string;
  total_units: number;
  total_cost: string;
  request_count: number;
}

/** The envelope around every answer. */
export interface Envelope<T = unknown> {
  data: T | null;
  error: { code: string; message: string } | null;
}
