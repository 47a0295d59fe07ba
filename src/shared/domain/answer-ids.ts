import { type InteractionId, interactionId } from './ids';

/** What an answer or a part of it is called in dialects whose ids have a form of their own. */
export type AnswerIdPrefix = 'resp' | 'msg' | 'rs' | 'fc';

/** `<prefix>_<hex>` of the interaction `chatcmpl-<hex>`; with an index, the id of one output item. */
export function toAnswerId(prefix: AnswerIdPrefix, id: InteractionId, itemIndex?: number): string {
  const stem = id.replace(/^chatcmpl-/, '');
  return itemIndex === undefined ? `${prefix}_${stem}` : `${prefix}_${stem}_${itemIndex}`;
}

/**
 * The interaction a client means by any id it was given: of a completion, response, message or output item.
 *
 * AReaL writes a hyphen behind `resp` and `msg`; both are understood. Anything else is taken as an interaction's id.
 */
export function toInteractionId(answerId: string): InteractionId {
  const stem = /^(?:resp|msg|rs|fc)[_-]([0-9a-f]{29}(?:-\d+)?)(?:_\d+)?$/.exec(answerId)?.[1];
  return interactionId(stem === undefined ? answerId : `chatcmpl-${stem}`);
}
