import type { ScriptStep } from '../backends/scripted/scripted-backend';
import type { TinyModel } from './test-gateway';

/** A model that writes tool calls as the Qwen family does, and thinks between tags. */
export const toolModel: TinyModel = {
  contextLength: 8192,
  chatTemplate: [
    '{% if tools %}<|im_start|>system\nAnswer with <tool_call>{"name": ..., "arguments": ...}</tool_call> to call one of\n',
    '{% for tool in tools %}\n{{ tool | tojson }}{% endfor %}<|im_end|>\n{% endif %}',
    '{% for message in messages %}<|im_start|>{{ message.role }}\n',
    '{% if message.reasoning_content %}<think>\n{{ message.reasoning_content }}\n</think>\n\n{% endif %}{{ message.content }}',
    '{% for call in message.tool_calls or [] %}\n<tool_call>\n',
    '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}\n</tool_call>{% endfor %}',
    '<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}',
  ].join(''),
};

/** A call of a tool with numbers as the model writes it: spaced as its template renders the call again. */
export function callText(name: string, values: Readonly<Record<string, number>>): string {
  const spaced = Object.entries(values).map(([key, value]) => `"${key}": ${value}`);
  return `<tool_call>\n{"name": "${name}", "arguments": {${spaced.join(', ')}}}\n</tool_call>`;
}

/** A script of one text per request, in order. */
export function saying(...texts: readonly string[]): (task: unknown, index: number) => readonly ScriptStep[] {
  return (_task, index) => [{ kind: 'text', text: texts[index] ?? `no answer is scripted for request ${index}` }];
}

/** The server-sent events of a streamed answer, as their names and payloads. */
export async function readEvents(
  reply: Response,
): Promise<{ readonly name: string | null; readonly data: SentEvent }[]> {
  const frames = (await reply.text()).split('\n\n').filter((frame) => frame !== '');
  return frames.map((frame) => ({
    name: /^event: (.*)$/m.exec(frame)?.[1] ?? null,
    data: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null') as SentEvent, // every event of ours is an object
  }));
}

/** Any event's payload. */
export interface SentEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
