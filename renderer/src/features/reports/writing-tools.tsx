import { ActionIcon, Button, Group, Popover, Tooltip } from '@mantine/core'
import { IconHistory, IconKeyboard, IconMicrophone, IconSignature } from '@tabler/icons-react'
import type { DraftKeeper, KeptDraft } from '../../api/draft-keeper.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { KeyRows } from '../../ui/shortcut-sheet.tsx'
import type { Shortcut } from '../../ui/shortcuts.ts'
import css from './reports.module.css'
import { SavingState } from './saving.tsx'
import type { Dictation } from './use-dictation.ts'
import type { Dialog } from './writing-dialog.tsx'

/** What the editor's own keymap does, for the sheet. */
const names = textsOf('ui.reports.editor.keyNames', 'field', 'macro', 'choices', 'find')
export const EDITOR_KEYS: readonly Shortcut[] = [
  { keys: 'f2', name: names.field },
  { keys: 'shift+f2', name: names.field },
  { keys: 'tab', name: names.macro },
  { keys: 'mod+.', name: names.choices },
  { keys: 'mod+f', name: names.find },
]

/** Above the report: how it is saved, its keys, its revisions, and signing it. */
export function WritingTools(props: {
  kept: KeptDraft
  keeper: DraftKeeper
  isAddendum: boolean
  maySign: boolean
  shortcuts: readonly Shortcut[]
  /** Undefined where it is not configured, or the report cannot be edited. */
  dictation: Dictation | undefined
  onDialog: (dialog: Dialog) => void
}) {
  const { kept, keeper, isAddendum, maySign, shortcuts, dictation, onDialog } = props
  return (
    <div className={css.tools}>
      <SavingState kept={kept} keeper={keeper} onResolve={() => onDialog('conflict')} />
      <Group gap={4} wrap="nowrap" ml="auto">
        {dictation && <DictationButton dictation={dictation} />}
        <KeysPopover shortcuts={shortcuts} />
        <Tooltip label={t('ui.reports.editor.revisions')}>
          <ActionIcon
            aria-label={t('ui.reports.editor.revisions')}
            disabled={kept.revision === null}
            onClick={() => onDialog('revisions')}
          >
            <IconHistory size={18} />
          </ActionIcon>
        </Tooltip>
        <Button
          leftSection={<IconSignature size={17} />}
          disabled={!maySign}
          onClick={() => onDialog('sign')}
        >
          {isAddendum ? t('ui.reports.editor.signAddendum') : t('ui.reports.editor.sign')}
        </Button>
      </Group>
    </div>
  )
}

function DictationButton({ dictation: { state, start, stop } }: { dictation: Dictation }) {
  const isRecording = state.kind === 'recording'
  const label = t(`ui.reports.dictation.${isRecording ? 'stop' : 'start'}`)
  return (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={label}
        aria-pressed={isRecording}
        {...(isRecording && { color: 'red', variant: 'filled' })}
        disabled={!isRecording && state.kind !== 'idle'}
        onClick={isRecording ? stop : start}
      >
        <IconMicrophone size={18} />
      </ActionIcon>
    </Tooltip>
  )
}

function KeysPopover({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  return (
    <Popover position="bottom-end" withArrow shadow="md">
      <Popover.Target>
        <Tooltip label={t('ui.reports.editor.keysLabel')}>
          <ActionIcon aria-label={t('ui.reports.editor.keysLabel')}>
            <IconKeyboard size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <dl className={css.keys}>
          <KeyRows shortcuts={shortcuts} />
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}
