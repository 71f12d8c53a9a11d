import type { StubContext } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { CHECKPOINTS, type InputKind, NODE_CLASSES } from './node-classes.js';

/** Workflow in API format, with its inputs as records. */
export type Graph = Readonly<
  Record<string, { readonly class_type: string; readonly inputs: Readonly<Record<string, unknown>> }>
>;

/** Workflow that can run, or the refusal. */
export type CheckedGraph = { readonly graph: Graph } | { readonly refusal: StubResponse };

interface NodeError {
  readonly type: string;
  readonly message: string;
  readonly details: string;
  readonly extra_info: object;
}

/** Builds ComfyUI's refusal of a workflow. */
export function graphError(type: string, message: string, nodeErrors: object = {}): StubResponse {
  const error = { type, message, details: message, extra_info: {} };
  return { status: 400, body: { error, node_errors: nodeErrors } };
}

/** Checks a workflow as the server does before it enters the queue; the refusal names every fault of every node. */
export function checkGraph(body: unknown, uploads: StubContext['uploads']): CheckedGraph {
  const given = toRecord(body).prompt;
  if (given === undefined) {
    return { refusal: graphError('no_prompt', 'No prompt provided') };
  }
  const nodes = Object.entries(toRecord(given)).map(([id, node]) => {
    const { class_type: name, inputs } = toRecord(node);
    return [id, { class_type: String(name), inputs: toRecord(inputs) }] as const;
  });
  const graph: Graph = Object.fromEntries(nodes);
  const unknown = nodes.find(([, { class_type: name }]) => !Object.hasOwn(NODE_CLASSES, name));
  if (unknown) {
    const message = `Cannot execute because node ${unknown[1].class_type} does not exist.`;
    return { refusal: graphError('invalid_prompt', message) };
  }
  if (!nodes.some(([, { class_type: name }]) => NODE_CLASSES[name]?.isOutput)) {
    return { refusal: graphError('prompt_no_outputs', 'Prompt has no outputs') };
  }
  const faulty = nodes.flatMap(([id, node]) => {
    const { required = {}, optional = {} } = NODE_CLASSES[node.class_type] ?? {};
    const errors = Object.entries({ ...required, ...optional }).flatMap(([name, kind]): NodeError[] => {
      const value = node.inputs[name];
      if (value === undefined) {
        const isMissing = Object.hasOwn(required, name);
        return isMissing ? [fault('required_input_missing', 'Required input is missing', name)] : [];
      }
      return checkValue({ name, kind, value }, graph, uploads);
    });
    return errors.length === 0
      ? []
      : [[id, { errors, dependent_outputs: ['9'], class_type: node.class_type }] as const];
  });
  if (faulty.length === 0) {
    return { graph };
  }
  const message = 'Prompt outputs failed validation';
  return { refusal: graphError('prompt_outputs_failed_validation', message, Object.fromEntries(faulty)) };
}

function checkValue(
  { name, kind, value }: { readonly name: string; readonly kind: InputKind; readonly value: unknown },
  graph: Graph,
  uploads: StubContext['uploads'],
): NodeError[] {
  switch (kind) {
    case 'link': {
      const isLink = Array.isArray(value) && value.length === 2 && Object.hasOwn(graph, String(value[0]));
      return isLink ? [] : [fault('bad_linked_input', 'Bad linked input', name, value)];
    }
    case 'checkpoint':
      return CHECKPOINTS.includes(String(value))
        ? []
        : [fault('value_not_in_list', 'Value not in list', name, value)];
    case 'upload':
      return uploads.has(getUploadPath(value))
        ? []
        : [fault('custom_validation_failed', 'Custom validation failed for node', name, value)];
    case 'text':
      return typeof value === 'string' ? [] : [fault('invalid_input_type', 'Invalid input', name, value)];
    case 'integer':
    case 'number': {
      const isNumber = typeof value === 'number' && (kind === 'number' || Number.isInteger(value));
      return isNumber ? [] : [fault('invalid_input_type', 'Failed to convert an input value', name, value)];
    }
  }
}

/** Returns where the stub keeps an uploaded image. */
export function getUploadPath(name: unknown): string {
  return `comfyui/input/${String(name)}`;
}

function fault(type: string, message: string, name: string, value?: unknown): NodeError {
  const details = value === undefined ? name : `${name}: ${JSON.stringify(value)}`;
  const received = value === undefined ? {} : { received_value: value };
  return { type, message, details, extra_info: { input_name: name, ...received } };
}
