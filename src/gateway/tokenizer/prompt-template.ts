import { Template } from '@huggingface/jinja';
import type { ToolDefinition } from '../../shared/domain/chat-call';
import type { ChatMessage } from '../../shared/domain/interaction';
import { err, ok, type Result } from '../../shared/lib/result';
import { ModelFolderError } from '../platform/model-files';
import { renderWithConstants } from './base-environment';
import type { RenderOptions, TemplateRefusal } from './chat-tokenizer';
import { IncrementalRenderer } from './incremental-renderer';
import { markParts } from './local-template';
import type { ModelSettings } from './model-settings';
import { toTemplateMessages } from './template-messages';

/** A model's chat template. */
export interface PromptTemplate {
  readonly source: string;
  /** Lone surrogates stand for what `guard` puts in; no other text has them. */
  render(
    messages: readonly ChatMessage[],
    options: Pick<RenderOptions, 'tools' | 'templateValues' | 'conversation'>,
  ): Result<string, TemplateRefusal>;
  forget(conversation: string): void;
}

/**
 * @param guard - last change of the messages before the template sees them
 * @throws ModelFolderError when the model has none, or one that cannot be read
 */
export function compileTemplate(
  folder: string,
  settings: ModelSettings,
  guard: (messages: readonly ChatMessage[]) => ChatMessage[],
): PromptTemplate {
  const source = settings.chatTemplate;
  if (source === null)
    throw new ModelFolderError(
      `${folder} has no chat template. Choose a chat model: one with chat_template in tokenizer_config.json or a chat_template.jinja file.`,
    );
  const whole = parseTemplate(folder, source);
  const marked = parseTemplate(folder, source);
  const isLocal = markParts(marked.parsed);
  const incremental = new IncrementalRenderer();
  const constants = { ...settings.specialTokens, add_generation_prompt: true };
  const constantText = JSON.stringify(constants);
  const renderConstant = renderWithConstants(source, constants);
  return {
    source,
    forget: (conversation) => incremental.forget(conversation),
    render: (messages, { tools, templateValues, conversation }) => {
      const hasMore = tools.length > 0 || Object.keys(templateValues).length > 0;
      const values = hasMore
        ? { ...templateValues, ...constants, ...(tools.length === 0 ? {} : { tools: tools.map(toTemplateTool) }) }
        : null;
      const renderBy = (template: Template) => (some: readonly ChatMessage[]) => {
        const shown = { messages: guard(toTemplateMessages(some)) };
        return values === null ? renderConstant(template, shown) : template.render({ ...values, ...shown });
      };
      try {
        if (!isLocal || conversation === null) return ok(renderBy(whole)(messages));
        const environment = values === null ? constantText : JSON.stringify(values);
        const renderMarked = renderBy(marked);
        return ok(
          incremental.render(messages, { conversation, environment, renderMarked }) ?? renderBy(whole)(messages),
        );
      } catch (error) {
        return err({ kind: 'template-refused', message: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}

function parseTemplate(folder: string, source: string): Template {
  try {
    return new Template(source);
  } catch (error) {
    throw new ModelFolderError(
      `The chat template of ${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}. Copy chat_template.jinja or tokenizer_config.json from the model's source again.`,
      { cause: error },
    );
  }
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
