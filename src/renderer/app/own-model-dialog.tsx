import { Button, CopyButton, Modal } from '@mantine/core';
import { useText } from '../i18n/text';
import classes from './own-model-dialog.module.css';
import { useShellStore } from './shell-store';

const command = 'npm run serve -- --model DIR --data-dir DIR';
const files = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'] as const;

/** How a model of one's own is trained with what there is: the folder, the command, and what is not there yet. */
export function OwnModelDialog() {
  const { ownModel: text, keys } = useText().shell;
  const opened = useShellStore(({ dialog }) => dialog === 'own-model');
  return (
    <Modal
      opened={opened}
      onClose={() => useShellStore.setState({ dialog: null })}
      title={text.title}
      size={620}
      closeButtonProps={{ 'aria-label': keys.close }}
    >
      <div className={classes.body} data-testid="own-model">
        <p>{text.demo}</p>
        <section>
          <h3>{text.folderTitle}</h3>
          <p>{text.folder}</p>
          <dl className={classes.files}>
            {files.map((file) => (
              <div key={file}>
                <dt>{file}</dt>
                <dd>{text.files[file]}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>{text.commandTitle}</h3>
          <div className={classes.command}>
            <code data-testid="own-model-command">{command}</code>
            <CopyButton value={command} timeout={1500}>
              {({ copied, copy }) => (
                <Button size="compact-xs" onClick={copy}>
                  {copied ? text.copied : text.copy}
                </Button>
              )}
            </CopyButton>
          </div>
          <p>{text.command}</p>
        </section>
        <section>
          <h3>{text.missingTitle}</h3>
          <p>{text.missing}</p>
        </section>
      </div>
    </Modal>
  );
}
