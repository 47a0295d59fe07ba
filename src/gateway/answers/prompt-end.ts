import { THINK, THINK_END } from './answer-taker';

/** Whether a rendered prompt leaves its think tags open, so that the answer begins inside them. */
export function endsInReasoning(promptText: string): boolean {
  return promptText.trimEnd().endsWith(THINK);
}

/** What to put behind a prompt so that the opening of a call stands outside of the think tags. */
export function openingBehind(promptText: string, opening: string): string {
  return endsInReasoning(promptText) ? `\n${THINK_END}\n\n${opening}` : opening;
}
