import { BrowserWindow, dialog } from 'electron';

/**
 * Asks a person for a path; null when cancelled.
 *
 * A native dialog cannot be driven by a test, so under a test switch the answer comes from PLAUDIT_TEST_OPEN_PATH.
 */
export async function askForPath(kind: 'file' | 'folder', isTest: boolean): Promise<string | null> {
  if (isTest) return process.env.PLAUDIT_TEST_OPEN_PATH ?? null;
  const options: Electron.OpenDialogOptions =
    kind === 'folder'
      ? { properties: ['openDirectory'] }
      : { properties: ['openFile'], filters: [{ name: 'JSONL', extensions: ['jsonl', 'json', 'ndjson'] }] };
  const window = BrowserWindow.getFocusedWindow();
  const answer = window === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(window, options);
  return answer.canceled ? null : (answer.filePaths[0] ?? null);
}
