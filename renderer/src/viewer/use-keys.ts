import { useEffect } from 'react'
import { t } from '../i18n/t.ts'
import { allowCharacterKeys, type Shortcut, useShortcuts } from '../ui/shortcuts.ts'
import { type CommandContext, run } from './commands.ts'
import { type Command, KEYS, type KeyGroup } from './key-map.ts'
import { useViewerContext, useViewerState } from './viewer-context.ts'

/** Commands of a group as shortcuts; a command with two keys is two. */
export const shortcutsOf = (group: KeyGroup, run: (command: Command) => void): Shortcut[] =>
  (Object.entries(KEYS[group]) as [Command, readonly string[]][]).flatMap(([command, keys]) =>
    keys.map((one) => ({
      keys: one,
      name: t(`ui.viewer.commands.${command}`),
      run: () => run(command),
      repeats: true,
    })),
  )

/** Registers the keys of the viewer. */
export function useKeys(): void {
  const { viewerStore, engine, list, drawings } = useViewerContext()
  const hasLetterKeys = useViewerState((state) => state.hasLetterKeys)
  useEffect(() => allowCharacterKeys(hasLetterKeys), [hasLetterKeys])
  const reach = { viewerStore, engine, list, drawings }
  useKeyGroup('images', reach)
  useKeyGroup('panes', reach)
  useKeyGroup('tools', reach)
  useKeyGroup('windows', reach)
  useKeyGroup('picture', reach)
  useKeyGroup('screen', reach)
}

const useKeyGroup = (group: KeyGroup, reach: CommandContext) =>
  useShortcuts(
    t(`ui.viewer.sheet.groups.${group}`),
    shortcutsOf(group, (command) => run(command, reach)),
  )
