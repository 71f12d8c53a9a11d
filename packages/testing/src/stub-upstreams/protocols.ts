import type { StubProtocol } from './core/protocol.js';
import { falProtocol } from './fal/fal-protocol.js';
import { geminiProtocol } from './gemini/gemini-protocol.js';

/** Every protocol, in the order in which they are asked whether a path is theirs: fal's paths begin with anything. */
export const PROTOCOLS: readonly StubProtocol[] = [geminiProtocol, falProtocol];
