import type { AnswerFormat, AnswerFormatName } from './answer-format';
import { AnswerTaker, THINK, THINK_END } from './answer-taker';
import type { CallSyntax } from './call-syntax';
import { deepseekCalls } from './deepseek-calls';
import { llamaCalls } from './llama-calls';
import { jsonInToolTags, xmlInToolTags } from './tool-tags';

/** The format a chat template shows its model; think tags are taken out wherever the template mentions them. */
export function selectAnswerFormat(setting: 'auto' | AnswerFormatName, chatTemplate: string | null): AnswerFormat {
  const template = chatTemplate ?? '';
  const name = setting === 'auto' ? nameOfTemplate(template) : setting;
  const syntax = syntaxOf(name, template);
  const isThinking = template.includes(THINK) || template.includes(THINK_END);
  return {
    name,
    markers: [
      ...(isThinking ? [THINK, THINK_END] : []),
      ...(syntax === null ? [] : [...syntax.openings, ...syntax.brackets, ...syntax.innerTags]),
    ],
    createParser: (options) => new AnswerTaker(syntax, isThinking, options),
    forcedOpening: (toolName) => syntax?.forcedOpening(toolName) ?? null,
  };
}

function nameOfTemplate(template: string): AnswerFormatName {
  if (template.includes('<｜tool▁calls▁begin｜>')) return 'deepseek';
  if (template.includes('<function=')) return 'qwen-coder';
  // Hermes' system prompt shows its schema as a pydantic model; apart from that the two write alike.
  if (template.includes('<tool_call>')) return template.includes('pydantic') ? 'hermes' : 'qwen';
  if (template.includes('<|python_tag|>') || /\{"name": [^}]*"parameters": /.test(template)) return 'llama';
  return 'plain';
}

function syntaxOf(name: AnswerFormatName, template: string): CallSyntax | null {
  switch (name) {
    case 'plain':
      return null;
    case 'qwen':
    case 'hermes':
      return jsonInToolTags;
    case 'qwen-coder':
      return xmlInToolTags;
    case 'llama':
      return llamaCalls;
    case 'deepseek':
      // A template that is not known says nothing: most of the family writes code blocks.
      return deepseekCalls(template.includes('```json') || !template.includes('<｜tool▁sep｜>'));
  }
}
