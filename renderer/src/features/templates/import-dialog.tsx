import { Button, Group, Modal, SegmentedControl, Stack } from '@mantine/core'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'
import { ImportTable } from './import-table.tsx'
import type { FileEntry } from './template-file.ts'
import css from './templates.module.css'
import { type TemplateImport, useImport } from './use-import.ts'

/**
 * What a file would add and what clashes with what is there; then, entry by entry, what became of
 * it.
 */
export function ImportDialog(props: {
  entries: readonly FileEntry[]
  templates: readonly ReportTemplate[]
  onClose: () => void
}) {
  const { entries, templates, onClose } = props
  const isManager = usePermission('manageGateway').may
  const importing = useImport(entries, templates)
  const { whose, clashing, isRunning, isOver } = importing
  return (
    <Modal
      opened
      onClose={onClose}
      size={860}
      title={t('ui.templates.importing.title')}
      closeOnClickOutside={false}
      withCloseButton={!isRunning || isOver}
      closeOnEscape={!isRunning || isOver}
    >
      <Stack>
        <Group justify="space-between">
          {isManager ? (
            <SegmentedControl
              size="xs"
              aria-label={t('ui.templates.importing.for')}
              value={whose}
              onChange={importing.setWhose}
              disabled={isRunning}
              data={[
                { value: 'mine', label: t('ui.templates.importing.forMine') },
                { value: 'everybody', label: t('ui.templates.importing.forEverybody') },
              ]}
            />
          ) : (
            <span className={css.quiet}>{t('ui.templates.importing.becomeMine')}</span>
          )}
          {clashing.length > 0 && !isRunning && (
            <Button size="xs" variant="default" onClick={importing.takeAll}>
              {t('ui.templates.importing.takeAll', { count: clashing.length })}
            </Button>
          )}
        </Group>
        <ImportTable importing={importing} />
        <ImportFooter importing={importing} onClose={onClose} />
      </Stack>
    </Modal>
  )
}

function ImportFooter({ importing, onClose }: { importing: TemplateImport; onClose: () => void }) {
  const { plan, added, replaced, outcomes, isRunning, isOver, run } = importing
  const wanted = added + replaced
  return (
    <Group justify="space-between">
      <span className={css.quiet} aria-live="polite">
        {isRunning
          ? t('ui.templates.importing.progress', { done: outcomes.size, all: wanted })
          : t('ui.templates.importing.summary', { added, replaced, left: plan.length - wanted })}
      </span>
      {isOver ? (
        <Button onClick={onClose}>{t('ui.templates.importing.close')}</Button>
      ) : (
        <Group>
          <Button variant="default" disabled={isRunning} onClick={onClose}>
            {t('ui.templates.importing.cancel')}
          </Button>
          <Button loading={isRunning} disabled={wanted === 0} onClick={() => void run()}>
            {t('ui.templates.importing.action', { count: wanted })}
          </Button>
        </Group>
      )}
    </Group>
  )
}
