import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { Copy } from '../components/copy.tsx'
import { Notice } from '../components/tone.tsx'
import { t } from '../i18n/t.ts'
import css from './left-drafts.module.css'
import { discardDraft, type LeftDraft, leftDrafts, onLeftDrafts } from './window-drafts.ts'

/**
 * Reports whose screen was left before they could be saved: they stay in sight until they are saved
 * or discarded.
 */
export function LeftDrafts() {
  const left = useSyncExternalStore(onLeftDrafts, leftDrafts)
  if (left.length === 0) return null
  return (
    <div className={css.left}>
      {left.map((draft) => (
        <Left key={draft.studyId} draft={draft} />
      ))}
    </div>
  )
}

function Left({ draft: { studyId, keeper } }: { draft: LeftDraft }) {
  const { state, fault, text } = useSyncExternalStore(keeper.subscribe, keeper.current)
  const [asksDiscard, setAsksDiscard] = useState(false)
  return (
    <Notice
      tone="danger"
      title={t('ui.reading.left.title')}
      actions={
        <Group gap="xs" wrap="nowrap">
          <Copy value={text} what={t('ui.reading.left.copies')} />
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => setAsksDiscard(true)}
          >
            {t('ui.reading.left.discard')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            renderRoot={(props) => <Link to="/reading/$studyId" params={{ studyId }} {...props} />}
          >
            {t('ui.reading.left.open')}
          </Button>
        </Group>
      }
    >
      {state === 'conflict'
        ? t('ui.reading.left.conflict')
        : state === 'refused'
          ? fault
          : t('ui.reading.left.failing', { fault })}
      <Confirm
        isOpen={asksDiscard}
        title={t('ui.reading.left.discardTitle')}
        action={t('ui.reading.left.discard')}
        isBusy={false}
        error={null}
        onConfirm={() => discardDraft(keeper)}
        onClose={() => setAsksDiscard(false)}
      >
        {t('ui.reading.left.discardText')}
      </Confirm>
    </Notice>
  )
}
