import type { ChatCall } from '../../shared/domain/chat-call';
import { err, ok, type Result } from '../../shared/lib/result';
import type { Refusal } from '../platform/refusal';
import { findTooMuchText, type PrepareCallPorts, prepareCall } from './prepare-call';

/** A prompt some times too long still gets its number, so that a client knows how much to cut. */
export const COUNTED_CONTEXTS = 4;

/** Exactly the tokens that the call's prompt would have. Nothing is sampled and nothing is stored. */
export function countPromptTokens(ports: PrepareCallPorts, call: ChatCall): Result<number, Refusal> {
  const tooMuch = findTooMuchText(ports, call, COUNTED_CONTEXTS);
  if (tooMuch !== null) return err(tooMuch);
  const prepared = prepareCall(ports, call, { conversation: null, contexts: COUNTED_CONTEXTS });
  return prepared.ok ? ok(prepared.value.task.promptTokenIds.length) : prepared;
}
