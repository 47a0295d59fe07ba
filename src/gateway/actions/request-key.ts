import type { ChatCall } from '../../shared/domain/chat-call';
import { canonicalJson } from '../interactions/canonical-json';
import { digestMessages, digestText } from '../interactions/message-digest';

/** The key of a call, made when it is first asked for: most requests have nothing to be compared with. */
export function lazyRequestKey(call: ChatCall): () => string {
  let key: string | null = null;
  return () => {
    key ??= requestKey(call);
    return key;
  };
}

/** Equal for calls that ask for the same thing: every message, tool and parameter counts, the order of keys does not. */
export function requestKey(call: ChatCall): string {
  const { messages, ...rest } = call;
  const conversation = digestMessages(messages).map(({ exact }) => exact);
  return digestText(canonicalJson({ ...rest, messages: conversation }));
}
