import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { randomId } from '../format/random-id.ts'
import { t } from '../i18n/t.ts'

const UNDO_DISPLAY_MS = 8000

const undoable: { readonly id: string; readonly undo: () => void }[] = []
const forget = (id: string) => {
  const at = undoable.findIndex((one) => one.id === id)
  if (at >= 0) undoable.splice(at, 1)
}

/** Undoes what was done last and can still be undone; nothing where there is none. */
export function undoLast(): void {
  const last = undoable.at(-1)
  if (last) run(last.id)
}

function run(id: string): void {
  const found = undoable.find((one) => one.id === id)
  forget(id)
  notifications.hide(id)
  found?.undo()
}

/**
 * What was done before can be undone no more: the window was locked, or somebody else sits at it.
 * Its messages go too.
 */
export function clearUndo(): void {
  undoable.length = 0
  notifications.cleanQueue()
  notifications.clean()
}

/**
 * Says that something was done, with a button that undoes it for as long as it is shown. Alt+Z
 * undoes the last one.
 */
export function showDone(text: string, undo?: () => void): void {
  const id = randomId()
  if (undo) undoable.push({ id, undo })
  notifications.show({
    id,
    autoClose: UNDO_DISPLAY_MS,
    onClose: () => forget(id),
    message: undo ? (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <span>{text}</span>
        <Button
          size="compact-sm"
          variant="light"
          aria-keyshortcuts="Alt+Z"
          title={t('ui.common.undoKeys')}
          onClick={() => run(id)}
        >
          {t('ui.common.undo')}
        </Button>
      </Group>
    ) : (
      text
    ),
  })
}
