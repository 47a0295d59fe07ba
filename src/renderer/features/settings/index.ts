export { SettingsPage } from './settings-page';
export { useUnsavedSettings } from './unsaved';
