import type { StubProtocol } from './core/protocol.js';
import { falProtocol } from './fal/fal-protocol.js';
import { geminiProtocol } from './gemini/gemini-protocol.js';
import { createOpenaiProtocol } from './openai/openai-protocol.js';
import { openrouterProtocol } from './openrouter/openrouter-protocol.js';
import { replicateProtocol } from './replicate/replicate-protocol.js';

/** Every protocol, in the order in which they are asked whether a path is theirs: fal's paths begin with anything. */
export function createProtocols({ compatible }: { readonly compatible: boolean }): readonly StubProtocol[] {
  return [
    geminiProtocol,
    openrouterProtocol,
    createOpenaiProtocol({ compatible }),
    replicateProtocol,
    falProtocol,
  ];
}
