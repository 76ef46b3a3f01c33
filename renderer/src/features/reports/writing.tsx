import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { expandTemplate } from '#shared/report-text.ts'
import type { KeptDraft } from '../../api/draft-keeper.ts'
import { useReply } from '../../api/queries.ts'
import { useZone } from '../../api/status.ts'
import { clockText, todayIn } from '../../format/dates.ts'
import { templateValues } from '../../format/patient.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { type Shortcut, useShortcuts } from '../../ui/shortcuts.ts'
import { Notice } from '../../ui/tone.tsx'
import { DictationBar } from './dictation-bar.tsx'
import { type EditorHandle, ReportEditor } from './editor.tsx'
import { FindingsStrip } from './findings-strip.tsx'
import { LockNotice } from './lock-notice.tsx'
import css from './reports.module.css'
import { SignedTexts } from './signed-text.tsx'
import { TemplateSuggestions } from './template-offers.tsx'
import { useDictation, useMayDictate } from './use-dictation.ts'
import { type InitialDraft, isHeldElsewhere, useDraft } from './use-draft.ts'
import { type Dialog, WritingDialog } from './writing-dialog.tsx'
import { EDITOR_KEYS, WritingTools } from './writing-tools.tsx'

/** The report being written: saved as it is typed, checked as it grows, signed once. */
export function ReportWriter({
  reading,
  userId,
  editor,
}: {
  reading: Reading
  userId: string
  editor: RefObject<EditorHandle | null>
}) {
  const { keeper, kept, found } = useDraft(reading, userId)
  const [dialog, setDialog] = useDialog(kept.theirs)
  const [hasLooked, setHasLooked] = useState(false)
  const atOpening = useRef(reading.reportMetadata).current
  const values = templateValues(reading, todayIn(useZone(), new Date()))
  const availableTemplates =
    useReply(
      dashboardReports.templates,
      { query: { studyId: reading.studyId } },
      { staleTime: 60_000 },
    ).data?.templates ?? []
  const macros = availableTemplates
    .filter(({ kind }) => kind === 'macro')
    .map((macro) => ({ ...macro, text: expandTemplate(macro.text, values) }))
  const isElsewhere = isHeldElsewhere(reading) || !reading.mayWrite
  const isAddendum = reading.status === 'addendum_active'
  const isEmpty = kept.text.trim() === ''
  const mayDictate = useMayDictate()
  const dictation = useDictation(
    reading.studyId,
    (text) => editor.current?.insertDictated(text) ?? false,
  )
  const isDictating = dictation.state.kind !== 'idle'
  const maySign = !isEmpty && !isElsewhere && !isDictating
  const shortcuts: readonly Shortcut[] = [
    ...EDITOR_KEYS,
    {
      keys: 'mod+s',
      name: t('ui.reports.editor.keyNames.save'),
      run: () => void (kept.state === 'refused' ? keeper.retry() : keeper.flush()),
      isEverywhere: true,
    },
    {
      keys: 'mod+enter',
      name: t('ui.reports.editor.keyNames.sign'),
      run: () => maySign && setDialog((before) => before ?? 'sign'),
    },
    ...(mayDictate ? [dictationKey(dictation, !isElsewhere)] : []),
  ]
  useShortcuts(t('ui.reports.editor.label'), shortcuts)

  const close = () => {
    setDialog(null)
    editor.current?.focus()
  }
  return (
    <section
      className={css.centre}
      aria-label={isAddendum ? t('ui.reports.editor.addendum') : t('ui.reports.editor.label')}
    >
      <WritingTools
        kept={kept}
        keeper={keeper}
        isAddendum={isAddendum}
        maySign={maySign}
        shortcuts={shortcuts}
        dictation={mayDictate && (!isElsewhere || isDictating) ? dictation : undefined}
        onDialog={setDialog}
      />
      <DictationBar dictation={dictation} />
      {isElsewhere && (
        <LockNotice reading={reading} userId={userId} onTake={() => keeper.takeOver()} />
      )}
      {!isElsewhere && !hasLooked && (
        <InitialDraftNotice found={found} userId={userId} onDone={() => setHasLooked(true)} />
      )}
      {isAddendum && <OriginalReports reports={reading.reports} />}
      {isEmpty && !isElsewhere && !isAddendum && (
        <TemplateSuggestions
          templates={availableTemplates.filter(({ kind }) => kind === 'template')}
          onPick={(template) => {
            keeper.replace(expandTemplate(template.text, values))
            editor.current?.focus()
          }}
        />
      )}
      <div className={css.editor}>
        <ReportEditor
          handle={editor}
          text={kept.text}
          loads={kept.loads}
          isReadOnly={isElsewhere}
          macros={macros}
          label={isAddendum ? t('ui.reports.editor.addendum') : t('ui.reports.editor.label')}
          onChange={keeper.edit}
          onLeave={() => void keeper.flush()}
        />
      </div>
      <FindingsStrip reading={reading} text={kept.text} atOpening={atOpening} />
      <WritingDialog
        dialog={dialog}
        reading={reading}
        keeper={keeper}
        kept={kept}
        atOpening={atOpening}
        isElsewhere={isElsewhere}
        onSigned={() => setDialog(null)}
        onClose={close}
      />
      <LeaveConfirmation
        isUnsaved={kept.state !== 'saved' && (kept.fault !== '' || kept.theirs !== null)}
        texts={UNSAVED_TEXTS}
      />
      <LeaveConfirmation isUnsaved={isDictating} texts={DICTATING_TEXTS} />
    </section>
  )
}

/**
 * The dialog over the report. A conflict opens by itself, once; closed, its button stays beside the
 * saving state.
 */
function useDialog(theirs: KeptDraft['theirs']) {
  const [dialog, setDialog] = useState<Dialog>(null)
  const [shownConflict, setShownConflict] = useState<KeptDraft['theirs']>(null)
  if (theirs !== shownConflict) {
    setShownConflict(theirs)
    if (theirs) setDialog('conflict')
  }
  return [dialog, setDialog] as const
}

/** What an addendum is added to. */
function OriginalReports({ reports }: { reports: Reading['reports'] }) {
  return (
    <details className={css.original} open>
      <summary>{t('ui.reports.editor.original')}</summary>
      <SignedTexts reports={reports} />
    </details>
  )
}

function InitialDraftNotice({
  found,
  userId,
  onDone,
}: {
  found: InitialDraft
  userId: string
  onDone: () => void
}) {
  const zone = useZone()
  const { draft, wasUnsaved } = found
  if (!wasUnsaved && (draft === null || draft.text === '')) return null
  const clock = draft ? clockText(draft.savedAt, zone, new Date()) : ''
  const isOwn = draft?.savedBy.userId === userId
  return (
    <Notice
      tone="info"
      actions={
        <Button size="compact-xs" variant="default" onClick={onDone}>
          OK
        </Button>
      }
    >
      {wasUnsaved
        ? t('ui.reports.recovered.window')
        : isOwn
          ? t('ui.reports.recovered.own', { clock })
          : t('ui.reports.recovered.draft', { clock, name: draft?.savedBy.name ?? '' })}
    </Notice>
  )
}

/** Starts dictating, or stops and puts in the text. */
const dictationKey = (
  { state, start, stop }: ReturnType<typeof useDictation>,
  mayStart: boolean,
): Shortcut => ({
  keys: 'mod+shift+d',
  name: t('ui.reports.dictation.key'),
  run: () => (state.kind === 'recording' ? stop() : mayStart && start()),
})

const UNSAVED_TEXTS = textsOf('ui.reports.saving', 'leave', 'leaveText', 'go', 'stay')
const DICTATING_TEXTS = textsOf('ui.reports.dictation', 'leave', 'leaveText', 'go', 'stay')

/** Asks before the screen is left with something that is not in the saved report. */
function LeaveConfirmation({
  isUnsaved,
  texts,
}: {
  isUnsaved: boolean
  texts: typeof UNSAVED_TEXTS
}) {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <ConfirmAction
      isOpen
      title={texts.leave}
      action={texts.go}
      keep={texts.stay}
      isBusy={false}
      error={null}
      onConfirm={proceed}
      onClose={reset}
    >
      {texts.leaveText}
    </ConfirmAction>
  )
}
