import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Reading } from '#shared/contract/reports.ts'
import { useMayWriteReports } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { useFullWidth } from '../../ui/full-width.ts'
import { Divider } from '../../ui/image-panel/divider.tsx'
import besideCss from '../../ui/image-panel/image-panel.module.css'
import { ImagesControls } from '../../ui/image-panel/images-controls.tsx'
import { ImagesPane } from '../../ui/image-panel/images-pane.tsx'
import { Pane, type PaneName, PaneTabs } from '../../ui/image-panel/pane-tabs.tsx'
import type { StudyImages } from '../../ui/image-panel/use-images.ts'
import { Notice } from '../../ui/tone.tsx'
import { ContextPane } from './context-pane.tsx'
import type { EditorHandle } from './editor.tsx'
import { AddendumNotice, IdentityNotice } from './identity-notice.tsx'
import { PatientBanner } from './patient-banner.tsx'
import { PriorsPane } from './priors-pane.tsx'
import { ReadOnlyReport } from './read-only.tsx'
import css from './reports.module.css'
import { SignedPane } from './signed-pane.tsx'
import { ReportWriter } from './writing.tsx'

interface ReadingWorkspaceProps {
  readonly reading: Reading
  readonly userId: string
  readonly images: StudyImages
  /** Before and after what the banner says of the patient. */
  readonly before?: ReactNode
  readonly aside?: ReactNode
}

/**
 * One study: who it is of, its images where they are wanted here, what is known, the report as it
 * is written, and what became of it.
 */
export function ReadingWorkspace({
  reading,
  userId,
  images,
  before,
  aside,
}: ReadingWorkspaceProps) {
  const editor = useRef<EditorHandle>(null)
  const id = useId()
  const [chosen, setChosen] = useState<PaneName>('report')
  const signedReports = reading.reports.filter(({ status }) => status === 'completed')
  // Somebody else's, too: it can be taken over.
  const isWritten = useMayWriteReports() && reading.status !== 'completed' && !reading.isCancelled
  const areImagesBeside = images.mode === 'beside'
  useFullWidth(areImagesBeside)
  // A report or addendum that was just begun is what is looked at.
  const draftId = reading.draft?.reportId
  useEffect(() => {
    if (draftId) setChosen('report')
  }, [draftId])
  const insert = (text: string) => {
    setChosen('report')
    // Hidden, it takes no focus.
    requestAnimationFrame(() => editor.current?.insert(text))
  }
  const onInsert = isWritten && reading.mayWrite ? insert : null
  const { clinicalIndication } = reading.context
  const tab = areImagesBeside ? chosen : null
  // Beside the report the pane says so itself.
  const refusal = images.wasBlocked
    ? t('ui.image-panel.blocked')
    : images.mode === 'window' && images.error?.message
  return (
    <div className={css.screen}>
      <PatientBanner
        study={reading}
        before={before}
        aside={
          <>
            <ImagesControls images={images} hasImages={reading.images !== null} />
            {aside}
          </>
        }
      />
      <IdentityNotice reading={reading} />
      <AddendumNotice reading={reading} />
      {refusal && (
        <div className={besideCss.noted}>
          <Notice tone="warning">{refusal}</Notice>
        </div>
      )}
      <div className={besideCss.work} data-beside={areImagesBeside || undefined}>
        {areImagesBeside && <ImagesPane images={images} id={`${id}-images`} />}
        {areImagesBeside && (
          <Divider share={images.share} paneId={`${id}-images`} onSplit={images.split} />
        )}
        <div className={`${css.panes} ${besideCss.report}`}>
          {areImagesBeside && (
            <PaneTabs
              id={id}
              chosen={chosen}
              counts={{ signed: signedReports.length }}
              onChoose={setChosen}
            />
          )}
          <Pane id={id} name="context" chosen={tab} className={css.left}>
            <ContextPane reading={reading} onInsert={onInsert} />
            <PriorsPane priors={reading.priors} onInsert={onInsert} />
          </Pane>
          <Pane id={id} name="report" chosen={tab} className={besideCss.middle}>
            {areImagesBeside && clinicalIndication && <Indication text={clinicalIndication} />}
            {isWritten ? (
              // Another one is written after each signature.
              <ReportWriter
                key={signedReports.length}
                reading={reading}
                userId={userId}
                editor={editor}
              />
            ) : (
              <ReadOnlyReport reading={reading} />
            )}
          </Pane>
          <Pane id={id} name="signed" chosen={tab} className={css.right}>
            <SignedPane reading={reading} />
          </Pane>
        </div>
      </div>
    </div>
  )
}

/** Above the report where the pane that has it is behind a tab. */
function Indication({ text }: { text: string }) {
  return (
    <p className={besideCss.indication} title={text}>
      <b>{t('ui.image-panel.indication')}</b> {text}
    </p>
  )
}
