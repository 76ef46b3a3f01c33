import { Button } from '@mantine/core'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { BulkDialog, type BulkKind } from './bulk-dialog.tsx'
import css from './studies.module.css'

/** What can be done with all selected studies. */
export function BulkBar(props: {
  selected: readonly WindowStudy[]
  loaded: number
  onAll: () => void
  onClear: () => void
}) {
  const { selected, loaded, onAll, onClear } = props
  const [asking, setAsking] = useState<BulkKind | null>(null)
  // The rows may leave the list while they are changed: what was selected is held until all is
  // done.
  const [held, setHeld] = useState<readonly WindowStudy[]>([])
  const begin = (kind: BulkKind) => {
    setHeld(selected)
    setAsking(kind)
  }
  const allAreCancelled = selected.every((study) => study.isCancelled)
  const kinds: readonly BulkKind[] = ['assign', 'severity', allAreCancelled ? 'uncancel' : 'cancel']
  return (
    <>
      {selected.length > 0 && (
        <div
          className={css.bulk}
          role="toolbar"
          aria-label={t('ui.studies.bulk.selected', { count: selected.length })}
        >
          <b aria-live="polite">{t('ui.studies.bulk.selected', { count: selected.length })}</b>
          {kinds.map((kind) => (
            <PermissionButton
              key={kind}
              permission="manageStudies"
              size="xs"
              variant="default"
              onClick={() => begin(kind)}
            >
              {t(`ui.studies.bulk.${kind}`)}
            </PermissionButton>
          ))}
          {selected.length < loaded && (
            <Button size="compact-sm" variant="subtle" onClick={onAll}>
              {t('ui.studies.bulk.all', { count: loaded })}
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
            {t('ui.studies.bulk.clear')}
          </Button>
        </div>
      )}
      {asking !== null && (
        <BulkDialog
          kind={asking}
          studies={held}
          onClose={(isDone) => {
            setAsking(null)
            if (isDone) onClear()
          }}
        />
      )}
    </>
  )
}
