import { t } from '../i18n/t.ts'
import { openHelp } from './help.ts'
import { useShortcuts } from './shortcuts.ts'

/** F1 on the screens outside the shell. @param path of the route whose help is opened */
export const useHelpKey = (path: string): void =>
  useShortcuts(t('ui.shell.sheet.general'), [
    { keys: 'f1', name: t('ui.shell.help'), run: () => openHelp(path), isEverywhere: true },
  ])
