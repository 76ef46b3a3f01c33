import { Button, Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { clockText } from '../format/dates.ts'
import { nameText } from '../format/patient-name.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { Notice } from '../ui/tone.tsx'
import { isUnsaved, type UnsavedCounts } from './saved-to-study.ts'
import css from './side.module.css'
import { useImages, useViewerContext, type ViewerContext } from './viewer-context.ts'
import { paneIdOf } from './viewer-store.ts'

/** Where drawings and key images are kept, and the button that saves them to the study. */
export function SaveToStudyPanel() {
  const viewerContext = useViewerContext()
  const { viewerStore, drawings } = viewerContext
  const { view } = viewerStore
  // Drawings on images that are not listed yet cannot be saved.
  useImages()
  const { studies } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const open = [...studies].map(([studyUid, kept]) => ({
    studyUid,
    kept,
    unsaved: drawings.unsaved(studyUid),
  }))
  const changed = open.filter(({ unsaved }) => isUnsaved(unsaved))
  const isSaving = open.some(({ kept }) => kept.isSavingToStudy)
  const faults = [...new Set(open.map(({ kept }) => kept.studyFault).filter(Boolean))]
  const savedVersions = open.flatMap(({ kept }) =>
    kept.study && kept.study.version > 0 ? kept.study : [],
  )
  const why = view.whyNoCapture ? translateMessage(view.whyNoCapture) : ''
  const isLink = view.kind !== 'window' && view.user === null
  const save = () => {
    const windows = shownWindows(viewerContext)
    for (const { studyUid } of changed) void drawings.saveToStudy(studyUid, windows)
  }
  const sum = (part: (unsaved: UnsavedCounts) => number) =>
    open.reduce((total, { unsaved }) => total + part(unsaved), 0)
  const count = sum((one) => one.drawings.length + one.removed.length + one.unmeasured)
  const [unmeasured, inPlanes] = [sum((one) => one.unmeasured), sum((one) => one.inPlanes)]
  return (
    <div className={css.saving}>
      <p className={css.about}>
        {t(isLink ? 'ui.viewer.drawings.aboutLink' : 'ui.viewer.drawings.about')}
      </p>
      {savedVersions.map(({ version, savedAt, savedBy, drawings: { length } }) => (
        <p key={`${version} ${savedAt}`} className={css.quiet}>
          {t('ui.viewer.drawings.study.version', {
            count: length,
            version,
            when: savedAt ? clockText(savedAt, undefined, new Date()) : '',
            who: savedBy ? nameText(savedBy) : t('ui.viewer.drawings.study.nobody'),
          })}
        </p>
      ))}
      {count > 0 && <p>{t('ui.viewer.drawings.study.unsaved', { count })}</p>}
      {unmeasured > 0 && (
        <p className={css.quiet}>
          {t('ui.viewer.drawings.study.unmeasured', { count: unmeasured })}
        </p>
      )}
      {inPlanes > 0 && (
        <p className={css.quiet}>{t('ui.viewer.drawings.study.inPlanes', { count: inPlanes })}</p>
      )}
      {faults.map((fault) => (
        <Notice key={fault} tone="danger">
          {t('ui.viewer.drawings.study.failed', { why: fault })}
        </Notice>
      ))}
      <Tooltip label={why || t('ui.viewer.drawings.study.meaning')} multiline w={280}>
        <Button
          size="compact-sm"
          loading={isSaving}
          aria-disabled={why !== '' || changed.length === 0 || undefined}
          data-disabled={why !== '' || changed.length === 0}
          onClick={() => why === '' && changed.length > 0 && save()}
        >
          {t('ui.viewer.drawings.study.save')}
        </Button>
      </Tooltip>
    </div>
  )
}

/** The windows of the images in the panes, for the presentation state. */
const shownWindows = ({ viewerStore, engine }: ViewerContext) =>
  viewerStore.state().board.panes.flatMap((_, at) => {
    const { image, window, plane } = engine.pane(paneIdOf(at)).state()
    if (!image || !window || plane || !(window.width > 0)) return []
    const { sopInstanceUid, frame } = image
    return [{ sopInstanceUid, frame, center: window.center, width: window.width }]
  })
