import { Button, Group, Modal, Progress, Radio, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import type { UserId } from '#shared/ids.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'
import { PersonName } from '../../ui/person-name.tsx'
import { examText } from '../../ui/study-list/exam-text.ts'
import { AssigneePicker } from '../../ui/study-list/pickers.tsx'
import type { Change } from '../../ui/study-list/use-study-actions.ts'
import { Tag } from '../../ui/tone.tsx'
import type { BulkState } from './bulk-run.ts'
import css from './studies.module.css'
import { useBulk } from './use-bulk.ts'

const TONES: Readonly<Record<BulkState, Tone>> = {
  waiting: 'plain',
  done: 'good',
  failed: 'danger',
  stopped: 'plain',
  undone: 'plain',
}

/** What many studies can be changed by. */
export type BulkKind = 'assign' | 'severity' | 'cancel' | 'uncancel'

interface BulkDialogProps {
  readonly kind: BulkKind
  readonly studies: readonly WindowStudy[]
  readonly onClose: (isDone: boolean) => void
}

/** Asks what to change, changes study by study, and says what became of each. */
export function BulkDialog({ kind, studies, onClose }: BulkDialogProps) {
  const [choice, setChoice] = useState<BulkChoice>({
    person: null,
    isUnassigned: false,
    severity: 'high',
  })
  const change = changeOf(kind, choice)
  const bulk = useBulk(studies)
  const { isRunning } = bulk
  const hasBegun = bulk.results.length > 0
  const area = studies[0]?.area ?? 'scribe'
  return (
    <Modal
      opened
      onClose={() => onClose(hasBegun)}
      title={t(`ui.studies.bulk.titles.${kind}`, { count: studies.length })}
      size="lg"
      closeOnEscape={!isRunning}
      closeOnClickOutside={!isRunning}
      withCloseButton={!isRunning}
    >
      <Stack>
        {hasBegun ? (
          <BulkProgress bulk={bulk} studies={studies} />
        ) : (
          <BulkQuestion
            kind={kind}
            area={area}
            choice={choice}
            onChoose={(part) => setChoice({ ...choice, ...part })}
          />
        )}
        <Group justify="flex-end">
          {isRunning && (
            <Button variant="default" onClick={bulk.stop}>
              {t('ui.studies.bulk.stop')}
            </Button>
          )}
          {hasBegun && !isRunning && bulk.done > 0 && (
            <Button variant="default" onClick={() => change && bulk.undo(change)}>
              {t('ui.studies.bulk.undo')}
            </Button>
          )}
          {!isRunning && (
            <Button variant={hasBegun ? 'filled' : 'default'} onClick={() => onClose(hasBegun)}>
              {hasBegun ? t('ui.studies.bulk.close') : t('ui.studies.bulk.back')}
            </Button>
          )}
          {!hasBegun && (
            <Button
              {...(kind === 'cancel' && { color: 'red' })}
              disabled={change === null}
              onClick={() => change && bulk.begin(change)}
            >
              {t('ui.studies.bulk.go')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

/** What was chosen in the dialogue, for every kind of change. */
interface BulkChoice {
  readonly person: { readonly id: UserId; readonly name: string } | null
  readonly isUnassigned: boolean
  readonly severity: Severity
}

/** The change that was chosen; null while something is missing. */
function changeOf(kind: BulkKind, { person, isUnassigned, severity }: BulkChoice): Change | null {
  if (kind === 'severity') return { kind, to: severity }
  if (kind !== 'assign') return { kind: 'cancel', to: kind === 'cancel' }
  if (isUnassigned) return { kind, to: null }
  return person && { kind, to: { userId: person.id, name: person.name } }
}

interface QuestionProps {
  readonly kind: BulkKind
  readonly area: StudyArea
  readonly choice: BulkChoice
  readonly onChoose: (part: Partial<BulkChoice>) => void
}

function BulkQuestion({ kind, area, choice, onChoose }: QuestionProps) {
  if (kind === 'cancel') return <Text>{t('ui.studies.bulk.cancelText')}</Text>
  if (kind === 'uncancel') return <Text>{t('ui.studies.bulk.uncancelText')}</Text>
  if (kind === 'assign') {
    return (
      <>
        <AssigneePicker
          area={area}
          label={t('ui.studies.bulk.to')}
          value={choice.person}
          onChange={(person) => onChoose({ person })}
        />
        <Switch
          label={t('ui.studies.bulk.toNobody')}
          checked={choice.isUnassigned}
          onChange={(event) => onChoose({ isUnassigned: event.currentTarget.checked })}
        />
      </>
    )
  }
  return (
    <Radio.Group
      label={t('ui.studies.actions.severity')}
      value={choice.severity}
      onChange={(next) =>
        onChoose({ severity: SEVERITIES.find((one) => one === next) ?? 'normal' })
      }
    >
      <Group mt={6}>
        {[...SEVERITIES].reverse().map((one) => (
          <Radio key={one} value={one} label={t(`ui.study-list.severities.${one}.label`)} />
        ))}
      </Group>
    </Radio.Group>
  )
}

function BulkProgress({
  bulk,
  studies,
}: {
  bulk: ReturnType<typeof useBulk>
  studies: readonly WindowStudy[]
}) {
  const { results, isRunning, done, failed, finished } = bulk
  const byId = new Map<string, WindowStudy>(studies.map((study) => [study.studyId, study]))
  const progress = t('ui.studies.bulk.progress', { done: finished, all: results.length })
  return (
    <>
      <Progress
        value={(finished / results.length) * 100}
        aria-label={progress}
        {...(failed > 0 && { color: 'red' })}
      />
      <Text size="sm" role="status">
        {isRunning ? progress : t('ui.studies.bulk.summary', { done, failed })}
      </Text>
      <ul className={css.results} aria-label={t('ui.studies.bulk.results')}>
        {results.map(({ id, state, fault }) => {
          const study = byId.get(id)
          return (
            <li key={id}>
              <Tag tone={TONES[state]}>{t(`ui.studies.bulk.states.${state}`)}</Tag>
              <span>
                {study?.patientName ? (
                  <PersonName value={study.patientName} />
                ) : (
                  t('ui.study-list.noName')
                )}{' '}
                <span className={css.quiet}>{study && examText(study)}</span>
                {fault && <div className={css.fault}>{fault}</div>}
              </span>
            </li>
          )
        })}
      </ul>
    </>
  )
}
