import { Menu, type MenuItemConstructorOptions } from 'electron';
import { MENU_TEXT, type MenuLanguage } from './menu-text';

/** The application menu; every entry is a role, so that shortcuts and behaviour are the platform's own. */
export function installMenu(language: MenuLanguage): void {
  const text = MENU_TEXT[language];
  const isMac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    isMac ? { role: 'appMenu' } : { label: text.file, submenu: [{ role: 'quit', label: text.quit }] },
    {
      label: text.edit,
      submenu: [
        { role: 'undo', label: text.undo },
        { role: 'redo', label: text.redo },
        { type: 'separator' },
        { role: 'cut', label: text.cut },
        { role: 'copy', label: text.copy },
        { role: 'paste', label: text.paste },
        { role: 'selectAll', label: text.selectAll },
      ],
    },
    {
      label: text.view,
      submenu: [
        { role: 'reload', label: text.reload },
        { type: 'separator' },
        { role: 'zoomIn', label: text.zoomIn },
        { role: 'zoomOut', label: text.zoomOut },
        { role: 'resetZoom', label: text.actualSize },
        { role: 'togglefullscreen', label: text.fullScreen },
        { type: 'separator' },
        { role: 'toggleDevTools', label: text.developerTools },
      ],
    },
    {
      label: text.window,
      submenu: [
        { role: 'minimize', label: text.minimize },
        { role: 'close', label: text.close },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
