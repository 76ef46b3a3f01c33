import { Button, Text } from '@mantine/core'
import { IconPhotoOff } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import {
  CORRECTION_KINDS,
  type Correction,
  type CorrectionKind,
  type CorrectionTarget,
  dashboardCorrections,
} from '#shared/contract/corrections.ts'
import { dashboardImages, type ImageStudy } from '#shared/contract/images.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { IdentityDifferences } from '../../ui/identity-differences.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { idsOf, patientsOf, type StudyPatientIdentity } from './image-identities.ts'
import { PatientLine } from './patient-line.tsx'
import css from './resolve.module.css'
import { Check } from './resolve-check.tsx'
import { ChooseImages } from './resolve-images.tsx'
import { type ChosenTarget, chosenOf, Target, TargetLine } from './resolve-target.tsx'
import { RESOLVABLE_KINDS } from './resolve-ways.ts'
import { type SuggestedCorrection, suggestedCorrection } from './suggested-correction.ts'

const route = getRouteApi('/shell/images/$studyInstanceUid/resolve')
const STEP_ORDER = ['kind', 'images', 'target', 'check'] as const
type StepName = (typeof STEP_ORDER)[number]

/** Leads, step by step, from images with the wrong identity to a correction of it. */
export function Resolve() {
  const { studyInstanceUid } = route.useParams()
  const { kind, order } = route.useSearch()
  const mayManage = useMayManageStudies()
  const params = { studyInstanceUid }
  const study = useReply(dashboardImages.read, { params })
  const identities = useReply(
    dashboardCorrections.identities,
    { params },
    { enabled: mayManage, staleTime: Number.POSITIVE_INFINITY },
  )
  // Who comes from the orders of the worklist has chosen one already; who chose nothing is shown
  // what the worklist suggests.
  const needsTargets = mayManage && (order !== undefined || kind === undefined)
  const targets = useReply(
    dashboardCorrections.targets,
    { params, query: { search: '' } },
    { enabled: needsTargets, staleTime: 60_000 },
  )
  const orderTarget = targets.data?.targets.find(
    ({ target }) => target.to === 'order' && target.orderId === order,
  )
  const isWaiting = needsTargets && targets.isPending
  const failed = study.error ?? identities.error
  const found = identities.data?.identities
  return (
    <Page
      title={t('ui.images.correction.title')}
      about={
        <>
          <BackLink to="/images/$studyInstanceUid" params={params}>
            {t('ui.images.correction.back')}
          </BackLink>
          <div>{t('ui.images.correction.about')}</div>
        </>
      }
    >
      {!mayManage && <Notice tone="warning">{t('ui.common.mayNot.manageStudies')}</Notice>}
      {mayManage && !failed && (!(study.data && found) || isWaiting) && (
        <LoadingPlaceholder rows={6} height={48} />
      )}
      {failed && failed.code !== 'not-found' && (
        <ErrorNotice
          error={failed}
          onRetry={() => {
            void study.refetch()
            void identities.refetch()
          }}
        />
      )}
      {(failed?.code === 'not-found' || found?.length === 0) && (
        <Panel>
          <EmptyState
            icon={<IconPhotoOff size={34} stroke={1.3} />}
            title={t('ui.images.correction.nothingToCorrect')}
            error={failed ?? null}
          >
            {t('ui.images.correction.nothingToCorrectText')}
          </EmptyState>
        </Panel>
      )}
      {study.data && found && found.length > 0 && !isWaiting && (
        <Steps
          key={`${studyInstanceUid} ${kind} ${order}`}
          study={study.data}
          identities={found}
          ordered={orderTarget ? chosenOf(orderTarget) : null}
          suggested={
            kind === undefined
              ? suggestedCorrection(
                  found,
                  study.data.identityCheck.differences,
                  targets.data?.targets ?? [],
                )
              : null
          }
        />
      )}
    </Page>
  )
}

interface StepsProps {
  readonly study: ImageStudy
  readonly identities: readonly StudyPatientIdentity[]
  /** The order that the images are reassigned to, where it was chosen before. */
  readonly ordered: ChosenTarget | null
  /** What the worklist suggests, where nothing was chosen. */
  readonly suggested: SuggestedCorrection | null
}

function Steps({ study, identities, ordered, suggested }: StepsProps) {
  const { studyInstanceUid } = study
  const search = route.useSearch()
  const navigate = useNavigate()
  const [kind, setKind] = useState<CorrectionKind | null>(
    CORRECTION_KINDS.find((one) => one === search.kind) ?? suggested?.kind ?? null,
  )
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [target, setTarget] = useState<ChosenTarget | null>(ordered ?? suggested?.target ?? null)
  const [open, setOpen] = useState<StepName>(
    kind === null ? 'kind' : target ? 'check' : firstAfterKind(kind),
  )
  const preview = useSend(dashboardCorrections.preview)
  const steps = STEP_ORDER.filter((step) => step !== 'images' || kind === 'split')
  const at = steps.indexOf(open)
  const movingIdentities = kind === 'split' ? identitiesOfImages(identities, chosen) : identities

  const chooseKind = (next: CorrectionKind) => {
    if (next !== kind) setTarget(null)
    setKind(next)
    setOpen(firstAfterKind(next))
  }
  const requestOf = (to: CorrectionTarget) => ({
    kind: kind ?? 'correct',
    ...(kind === 'split' && { instanceIds: [...chosen] }),
    target: to,
  })
  const chooseTarget = (next: ChosenTarget) => {
    setTarget(next)
    setOpen('check')
    preview.mutate({ params: { studyInstanceUid }, body: requestOf(next.target) })
  }
  const hasBegun = useRef(false)
  useEffect(() => {
    if (target && !hasBegun.current)
      preview.mutate({ params: { studyInstanceUid }, body: requestOf(target.target) })
    hasBegun.current = true
  })
  const finish = (correction: Correction) => {
    const { fromStudyInstanceUid, toStudyInstanceUid, correctionId, instances, progress } =
      correction
    if (progress !== null) {
      // It is shown there while it is under way; the target may have no images yet.
      void navigate({
        to: '/images/$studyInstanceUid',
        params: { studyInstanceUid: fromStudyInstanceUid },
        search: {},
      })
      return
    }
    const to = {
      to: '/images/$studyInstanceUid',
      params: { studyInstanceUid: toStudyInstanceUid },
    } as const
    void navigate({ ...to, search: {} })
    showDone(
      t(`ui.images.correction.done.${correction.kind}`, { count: instances }),
      () => void navigate({ ...to, search: { undo: correctionId } }),
    )
  }

  const stepProps = (name: StepName) => ({
    number: steps.indexOf(name) + 1,
    state:
      at > steps.indexOf(name)
        ? ('done' as const)
        : name === open
          ? ('open' as const)
          : ('later' as const),
    onChange: () => setOpen(name),
  })
  const isKnown = kind !== null
  return (
    <div className={css.steps}>
      <CurrentIdentity study={study} identities={identities} />
      {suggested && suggested.target === target && (
        <Notice tone="info">
          {t(`ui.images.correction.suggested.${kind === 'correct' ? 'correct' : 'reassign'}`)}
        </Notice>
      )}
      <Step
        {...stepProps('kind')}
        title={t('ui.images.correction.kinds.title')}
        summary={isKnown && t(`ui.images.correction.kinds.ways.${kind}.name`)}
      >
        <KindChoice value={kind} patients={patientsOf(identities).length} onChoose={chooseKind} />
      </Step>
      {kind === 'split' && (
        <Step
          {...stepProps('images')}
          title={t('ui.images.correction.images.title')}
          summary={t('ui.images.correction.images.chosen', {
            chosen: chosen.size,
            all: idsOf(identities).length,
          })}
        >
          <ChooseImages
            studyInstanceUid={studyInstanceUid}
            identities={identities}
            chosen={chosen}
            onChange={setChosen}
            onNext={() => setOpen('target')}
          />
        </Step>
      )}
      <Step
        {...stepProps('target')}
        title={
          isKnown
            ? t(`ui.images.correction.target.titles.${kind}`)
            : t('ui.images.correction.target.titles.reassign')
        }
        summary={target && <TargetLine target={target} />}
      >
        {isKnown && (
          <Target
            key={kind}
            kind={kind}
            studyInstanceUid={studyInstanceUid}
            differences={study.identityCheck.differences}
            identities={movingIdentities}
            was={target}
            onChoose={chooseTarget}
          />
        )}
      </Step>
      <Step {...stepProps('check')} title={t('ui.images.correction.check.title')}>
        {target && (
          <Check
            study={study}
            request={requestOf(target.target)}
            target={target}
            preview={preview}
            onDone={finish}
          />
        )}
      </Step>
    </div>
  )
}

const firstAfterKind = (kind: CorrectionKind): StepName => (kind === 'split' ? 'images' : 'target')

/** What these images say, without what only others say. */
const identitiesOfImages = (
  identities: readonly StudyPatientIdentity[],
  chosen: ReadonlySet<number>,
): readonly StudyPatientIdentity[] =>
  identities.filter(({ instanceIds }) => instanceIds.some((id) => chosen.has(id)))

const MAX_SHOWN_PATIENTS = 4

/** Whose images they are by their own header, and what that differs from. */
function CurrentIdentity({
  study,
  identities,
}: {
  study: ImageStudy
  identities: readonly StudyPatientIdentity[]
}) {
  const patients = patientsOf(identities)
  const { differences } = study.identityCheck
  return (
    <Panel title={t('ui.images.correction.now.title')}>
      <div className={css.now}>
        {patients.slice(0, MAX_SHOWN_PATIENTS).map((patient) => (
          <PatientLine
            key={patient.key}
            patient={patient}
            aside={t('ui.images.correction.count', { count: patient.count })}
          />
        ))}
        {patients.length > MAX_SHOWN_PATIENTS && (
          <Text size="sm" c="dimmed">
            {t('ui.images.correction.now.more', { count: patients.length - MAX_SHOWN_PATIENTS })}
          </Text>
        )}
      </div>
      {differences.length > 0 && (
        <details className={css.details}>
          <summary>{t('ui.images.correction.now.differs')}</summary>
          <IdentityDifferences differences={differences} />
        </details>
      )}
    </Panel>
  )
}

function KindChoice(props: {
  value: CorrectionKind | null
  patients: number
  onChoose: (kind: CorrectionKind) => void
}) {
  const { value, patients, onChoose } = props
  return (
    <>
      {patients > 1 && (
        <Text size="sm" mb={10}>
          {t('ui.images.correction.kinds.several', { patients })}
        </Text>
      )}
      <ul className={css.ways}>
        {RESOLVABLE_KINDS.map((way) => (
          <li key={way}>
            <button
              type="button"
              className={css.way}
              data-chosen={way === value}
              onClick={() => onChoose(way)}
            >
              <b>{t(`ui.images.correction.kinds.ways.${way}.name`)}</b>
              <span>{t(`ui.images.correction.kinds.ways.${way}.about`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  /** done: decided, and can be changed; later: nothing to decide yet. */
  readonly state: 'done' | 'open' | 'later'
  readonly summary?: ReactNode
  readonly onChange: () => void
  readonly children: ReactNode
}

/** One decision. Only one is open; those before it say what was decided. */
function Step({ number, title, state, summary, onChange, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const was = useRef(state)
  useEffect(() => {
    // Who goes on by the keyboard or hears the page is led to the step that has opened.
    if (state === 'open' && was.current !== 'open') {
      heading.current?.focus({ preventScroll: true })
      heading.current?.scrollIntoView({ block: 'nearest' })
    }
    was.current = state
  }, [state])
  return (
    <section
      className={css.step}
      data-state={state}
      aria-label={`${t('ui.images.correction.step', { number })}: ${title}`}
    >
      <div className={css.stepHead}>
        <span className={css.number} aria-hidden>
          {number}
        </span>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {state === 'done' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={t('ui.images.correction.changeStep', { step: title })}
            onClick={onChange}
          >
            {t('ui.images.correction.change')}
          </Button>
        )}
      </div>
      {state === 'done' && <div className={css.summary}>{summary}</div>}
      {state === 'open' && <div className={css.stepBody}>{children}</div>}
    </section>
  )
}
