import { Template } from '@huggingface/jinja';
import type { ToolDefinition } from '../../shared/domain/chat-call';
import type { ChatMessage } from '../../shared/domain/interaction';
import { err, ok, type Result } from '../../shared/lib/result';
import { ModelFolderError } from '../platform/model-files';
import type { TemplateRefusal } from './chat-tokenizer';
import type { ModelSettings } from './model-settings';
import { toTemplateMessages } from './template-messages';

export interface TemplateInput {
  readonly tools: readonly ToolDefinition[];
  readonly templateValues: Readonly<Record<string, unknown>>;
  /** last change of the messages before the template sees them */
  guard(messages: readonly ChatMessage[]): ChatMessage[];
}

/** A model's chat template. */
export interface PromptTemplate {
  readonly source: string;
  render(messages: readonly ChatMessage[], input: TemplateInput): Result<string, TemplateRefusal>;
}

/** @throws ModelFolderError when the model has none */
export function compileTemplate(folder: string, settings: ModelSettings): PromptTemplate {
  const source = settings.chatTemplate;
  if (source === null)
    throw new ModelFolderError(
      `${folder} has no chat template. Choose a chat model: one with chat_template in tokenizer_config.json or a chat_template.jinja file.`,
    );
  const template = new Template(source);
  return {
    source,
    render: (messages, { tools, templateValues, guard }) => {
      try {
        const values = {
          ...templateValues,
          ...settings.specialTokens,
          messages: guard(toTemplateMessages(messages)),
          add_generation_prompt: true,
          ...(tools.length === 0 ? {} : { tools: tools.map(toTemplateTool) }),
        };
        return ok(template.render(values));
      } catch (error) {
        return err({ kind: 'template-refused', message: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}

/** As OpenAI's API has it, which is what templates are written for. */
function toTemplateTool({ name, description, parameters }: ToolDefinition): unknown {
  return {
    type: 'function',
    function: {
      name,
      ...(description === null ? {} : { description }),
      ...(parameters === null ? {} : { parameters }),
    },
  };
}
