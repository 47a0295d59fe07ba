import type { ChatCall } from '../../shared/domain/chat-call';
import { canonicalJson } from '../interactions/canonical-json';
import { digestMessages, digestText } from '../interactions/message-digest';

/** Equal for calls that ask for the same thing: every message, tool and parameter counts, the order of keys does not. */
export function requestKey(call: ChatCall): string {
  const { messages, ...rest } = call;
  const conversation = digestMessages(messages).map(({ exact }) => exact);
  return digestText(canonicalJson({ ...rest, messages: conversation }));
}
