import { ActionIcon, Button, Group, Popover, Tooltip } from '@mantine/core'
import { IconHistory, IconKeyboard, IconSignature } from '@tabler/icons-react'
import type { DraftKeeper, KeptDraft } from '../../api/draft-keeper.ts'
import { t } from '../../i18n/t.ts'
import css from './reports.module.css'
import { SavingState } from './saving.tsx'
import type { Dialog } from './writing-dialog.tsx'

const KEYS = [0, 1, 2, 3, 4, 5] as const

/** Above the report: how it is saved, its keys, its revisions, and signing it. */
export function WritingTools(props: {
  kept: KeptDraft
  keeper: DraftKeeper
  isAddendum: boolean
  maySign: boolean
  onDialog: (dialog: Dialog) => void
}) {
  const { kept, keeper, isAddendum, maySign, onDialog } = props
  return (
    <div className={css.tools}>
      <SavingState kept={kept} keeper={keeper} onResolve={() => onDialog('conflict')} />
      <Group gap={4} wrap="nowrap" ml="auto">
        <Keys />
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

function Keys() {
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
          {KEYS.map((key) => (
            <div key={key}>
              <dt>
                <kbd>{t(`ui.reports.editor.keys.${key}.label`)}</kbd>
              </dt>
              <dd>{t(`ui.reports.editor.keys.${key}.description`)}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}
