import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import {
  discardDraft,
  type LeftDraft,
  onLeftDrafts,
  unsavedDrafts,
} from '../../api/window-drafts.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Notice } from '../../ui/tone.tsx'
import css from './left-drafts.module.css'

/**
 * Reports whose screen was left before they could be saved: they stay in sight until they are saved
 * or discarded.
 */
export function LeftDrafts() {
  const left = useSyncExternalStore(onLeftDrafts, unsavedDrafts)
  if (left.length === 0) return null
  return (
    <div className={css.left}>
      {left.map((draft) => (
        <LeftDraftNotice key={draft.studyId} draft={draft} />
      ))}
    </div>
  )
}

function LeftDraftNotice({ draft: { studyId, keeper } }: { draft: LeftDraft }) {
  const { state, fault, text } = useSyncExternalStore(keeper.subscribe, keeper.current)
  const [asksDiscard, setAsksDiscard] = useState(false)
  return (
    <Notice
      tone="danger"
      title={t('ui.reports.left.title')}
      actions={
        <Group gap="xs" wrap="nowrap">
          <Copy value={text} what={t('ui.reports.left.copies')} />
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => setAsksDiscard(true)}
          >
            {t('ui.reports.left.discard')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            renderRoot={(props) => <Link to="/reading/$studyId" params={{ studyId }} {...props} />}
          >
            {t('ui.reports.left.open')}
          </Button>
        </Group>
      }
    >
      {state === 'conflict'
        ? t('ui.reports.left.conflict')
        : state === 'refused'
          ? fault
          : t('ui.reports.left.failing', { fault })}
      <ConfirmAction
        isOpen={asksDiscard}
        title={t('ui.reports.left.discardTitle')}
        action={t('ui.reports.left.discard')}
        isBusy={false}
        error={null}
        onConfirm={() => discardDraft(keeper)}
        onClose={() => setAsksDiscard(false)}
      >
        {t('ui.reports.left.discardText')}
      </ConfirmAction>
    </Notice>
  )
}
