import { UnstyledButton } from '@mantine/core';
import { useText } from '../../i18n/text';
import { draftKeys } from './drafts';
import classes from './rate-page.module.css';
import { useRateServices } from './services';

/** What would be here, and a first message to fill it with. */
export function EmptyChat({ taskId }: { readonly taskId: string }) {
  const text = useText().rate;
  const { drafts } = useRateServices();
  return (
    <div className={classes.empty} data-testid="empty-chat">
      <h1 className={classes.emptyTitle}>{text.emptyTitle}</h1>
      <p className={classes.emptyBody}>{text.emptyBody}</p>
      <div className={classes.examples}>
        <span>{text.emptyTry}</span>
        {text.emptyExamples.map((example) => (
          <UnstyledButton
            key={example}
            className={classes.example}
            onClick={() => {
              drafts.write(draftKeys.composer(taskId), example);
              document.getElementById('composer')?.focus();
            }}
          >
            {example}
          </UnstyledButton>
        ))}
      </div>
    </div>
  );
}
