import { ActionIcon, Button, Group, Popover, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconHistory, IconKeyboard, IconSignature } from '@tabler/icons-react'
import { useBlocker } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { expanded } from '#shared/report-text.ts'
import { Confirm } from '../components/confirm.tsx'
import { Notice } from '../components/tone.tsx'
import { clockText, todayIn } from '../display/dates.ts'
import { useReply } from '../gateway.ts'
import { useZone } from '../status.ts'
import { Conflict } from './conflict.tsx'
import type { KeptDraft } from './draft-keeper.ts'
import { type EditorHandle, ReportEditor } from './editor.tsx'
import { FindingsStrip } from './findings-strip.tsx'
import { LockNotice } from './lock-notice.tsx'
import { templateValues } from './patient.ts'
import css from './reading.module.css'
import { Revisions } from './revisions.tsx'
import { SavingState } from './saving.tsx'
import { SignDialog } from './sign-dialog.tsx'
import { SignedTexts } from './signed-text.tsx'
import { TemplateOffers } from './template-offers.tsx'
import { type Found, isHeldElsewhere, useDraft } from './use-draft.ts'
import { words } from './words.ts'

type Dialog = 'sign' | 'revisions' | 'conflict' | null
const { editor: texts } = words

/** The report being written: saved as it is typed, checked as it grows, signed once. */
export function Writing({ reading, userId, editor }: { reading: Reading; userId: string; editor: RefObject<EditorHandle | null> }) {
  const { keeper, kept, found } = useDraft(reading, userId)
  const [dialog, setDialog] = useState<Dialog>(null)
  const [hasLooked, setHasLooked] = useState(false)
  const atOpening = useRef(reading.reportMetadata).current
  const values = templateValues(reading, todayIn(useZone(), new Date()))
  const offered = useReply(dashboardReports.templates, { query: { studyId: reading.studyId } }, { staleTime: 60_000 }).data?.templates ?? []
  const macros = offered.filter(({ kind }) => kind === 'macro').map((macro) => ({ ...macro, text: expanded(macro.text, values) }))
  const isElsewhere = isHeldElsewhere(reading) || !reading.mayWrite
  const isAddendum = reading.status === 'addendum_active'
  const isEmpty = kept.text.trim() === ''
  const maySign = !isEmpty && !isElsewhere
  // A conflict opens by itself, once; closed, its button stays beside the saving state.
  const [shownConflict, setShownConflict] = useState<KeptDraft['theirs']>(null)
  if (kept.theirs !== shownConflict) {
    setShownConflict(kept.theirs)
    if (kept.theirs) setDialog('conflict')
  }
  useHotkeys(
    [
      ['mod+s', () => void (kept.state === 'refused' ? keeper.retry() : keeper.flush())],
      ['mod+enter', () => maySign && setDialog((before) => before ?? 'sign')],
    ],
    [],
    true,
  )

  const close = () => {
    setDialog(null)
    editor.current?.focus()
  }
  return (
    <section className={css.centre} aria-label={isAddendum ? texts.addendum : texts.label}>
      <div className={css.tools}>
        <SavingState kept={kept} keeper={keeper} onResolve={() => setDialog('conflict')} />
        <Group gap={4} wrap="nowrap" ml="auto">
          <Keys />
          <Tooltip label={texts.revisions}>
            <ActionIcon aria-label={texts.revisions} disabled={kept.revision === null} onClick={() => setDialog('revisions')}>
              <IconHistory size={18} />
            </ActionIcon>
          </Tooltip>
          <Button leftSection={<IconSignature size={17} />} disabled={!maySign} onClick={() => setDialog('sign')}>
            {isAddendum ? texts.signAddendum : texts.sign}
          </Button>
        </Group>
      </div>
      {isElsewhere && <LockNotice reading={reading} userId={userId} onTake={() => keeper.takeOver()} />}
      {!isElsewhere && !hasLooked && <FoundNotice found={found} userId={userId} onDone={() => setHasLooked(true)} />}
      {isAddendum && (
        <details className={css.original} open>
          <summary>{texts.original}</summary>
          <SignedTexts reports={reading.reports} />
        </details>
      )}
      {isEmpty && !isElsewhere && !isAddendum && (
        <TemplateOffers
          templates={offered.filter(({ kind }) => kind === 'template')}
          onPick={(template) => {
            keeper.replace(expanded(template.text, values))
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
          label={isAddendum ? texts.addendum : texts.label}
          onChange={keeper.edit}
          onLeave={() => void keeper.flush()}
        />
      </div>
      <FindingsStrip reading={reading} text={kept.text} atOpening={atOpening} />
      {dialog === 'sign' && (
        <SignDialog
          reading={reading}
          keeper={keeper}
          text={kept.text}
          atOpening={atOpening}
          onConflict={(theirs) => keeper.meet(theirs)}
          onSigned={() => setDialog(null)}
          onClose={close}
        />
      )}
      {dialog === 'conflict' && kept.theirs && (
        <Conflict
          mine={kept.text}
          theirs={kept.theirs}
          onMine={() => {
            void keeper.keepMine()
            close()
          }}
          onTheirs={() => {
            keeper.takeTheirs()
            close()
          }}
          onClose={close}
        />
      )}
      {dialog === 'revisions' && (
        <Revisions
          studyId={reading.studyId}
          onBringBack={
            isElsewhere
              ? null
              : (text) => {
                  keeper.replace(text)
                  close()
                }
          }
          onClose={close}
        />
      )}
      <BeforeLeaving isUnsaved={kept.state !== 'saved' && (kept.fault !== '' || kept.theirs !== null)} />
    </section>
  )
}

function FoundNotice({ found, userId, onDone }: { found: Found; userId: string; onDone: () => void }) {
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
      {wasUnsaved ? words.recovered.window : isOwn ? words.recovered.own(clock) : words.recovered.draft(clock, draft?.savedBy.name ?? '')}
    </Notice>
  )
}

function Keys() {
  return (
    <Popover position="bottom-end" withArrow shadow="md">
      <Popover.Target>
        <Tooltip label={texts.keysLabel}>
          <ActionIcon aria-label={texts.keysLabel}>
            <IconKeyboard size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <dl className={css.keys}>
          {texts.keys.map(([key, name]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{name}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Asks before the screen is left with something that could not be saved. */
function BeforeLeaving({ isUnsaved }: { isUnsaved: boolean }) {
  const { proceed, reset, status } = useBlocker({ shouldBlockFn: () => isUnsaved, enableBeforeUnload: false, withResolver: true })
  if (status !== 'blocked') return null
  return (
    <Confirm
      isOpen
      title={words.saving.leave}
      action={words.saving.go}
      keep={words.saving.stay}
      isBusy={false}
      error={null}
      onConfirm={proceed}
      onClose={reset}
    >
      {words.saving.leaveText}
    </Confirm>
  )
}
