import { Table, Text } from '@mantine/core'
import type { Commitment, PerformedStep } from '#shared/contract/images.ts'
import { numberText } from '../../format/amounts.ts'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './images.module.css'
import { EmptyPanel } from './quiet.tsx'

const STEP_TONES = {
  'IN PROGRESS': 'info',
  COMPLETED: 'good',
  DISCONTINUED: 'warning',
} as const satisfies Record<PerformedStep['status'], Tone>
const COMMITMENT_TONES = {
  waiting: 'info',
  delivered: 'good',
  'given-up': 'warning',
} as const satisfies Record<Commitment['state'], Tone>
const STEP_COLUMNS = textsOf(
  'ui.images.stepColumns',
  ...(['step', 'state', 'device', 'started', 'ended', 'images'] as const),
)
const COMMITMENT_COLUMNS = textsOf(
  'ui.images.commitmentColumns',
  ...(['asked', 'device', 'images', 'state', 'remark'] as const),
)

/** How the exam went, as the device reported it. */
export function StepPanel({ steps }: { steps: readonly PerformedStep[] }) {
  if (steps.length === 0)
    return <EmptyPanel title={t('ui.images.steps')} text={t('ui.images.stepsNone')} />
  return (
    <Panel isFlush title={t('ui.images.steps')}>
      <Table.ScrollContainer minWidth={560}>
        <Table className={css.rows} horizontalSpacing={16} verticalSpacing={7}>
          <ColumnHeaders names={Object.values(STEP_COLUMNS)} />
          <Table.Tbody>
            {steps.map((step) => (
              <Table.Tr key={step.sopInstanceUid}>
                <Table.Td className="mono nowrap">{step.scheduledProcedureStepId}</Table.Td>
                <Table.Td>
                  <Tag tone={STEP_TONES[step.status]}>
                    {t(`ui.images.stepStates.${step.status}.name`)}
                  </Tag>
                  {step.discontinuationReason && (
                    <Text size="sm">{step.discontinuationReason}</Text>
                  )}
                </Table.Td>
                <Table.Td>
                  {step.deviceName}{' '}
                  {step.modality && t('ui.images.of', { modality: step.modality })}
                </Table.Td>
                <Table.Td className="nowrap">
                  <Clock instant={step.startedAt} />
                </Table.Td>
                <Table.Td className="nowrap">
                  {step.endedAt && <Clock instant={step.endedAt} />}
                </Table.Td>
                <Table.Td className="tabular">{numberText(step.instances)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

/** Storage commitment: what the device asked to have confirmed, and whether it got the answer. */
export function CommitmentPanel({ commitments }: { commitments: readonly Commitment[] }) {
  if (commitments.length === 0)
    return <EmptyPanel title={t('ui.images.commitments')} text={t('ui.images.commitmentsNone')} />
  return (
    <Panel isFlush title={t('ui.images.commitments')}>
      <Table.ScrollContainer minWidth={560}>
        <Table className={css.rows} horizontalSpacing={16} verticalSpacing={7}>
          <ColumnHeaders names={Object.values(COMMITMENT_COLUMNS)} />
          <Table.Tbody>
            {commitments.map((one) => (
              <Table.Tr key={one.transactionUid}>
                <Table.Td className="nowrap">
                  <Clock instant={one.requestedAt} />
                </Table.Td>
                <Table.Td>{one.deviceName || one.callingAeTitle}</Table.Td>
                <Table.Td className="tabular">
                  {numberText(one.instances)}
                  {one.failed > 0 && <div>{t('ui.images.notHere', { count: one.failed })}</div>}
                </Table.Td>
                <Table.Td>
                  <Tag tone={commitmentState(one).tone}>{commitmentState(one).name}</Tag>
                </Table.Td>
                <Table.Td>
                  {one.lastError && translateMessage(one.lastError)}
                  {one.attempts > 0 && (
                    <div>{t('ui.images.attempts', { count: one.attempts })}</div>
                  )}
                  {one.nextAt && (
                    <div>
                      {t('ui.images.next')} <Clock instant={one.nextAt} />
                    </div>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

/** An answer that the device did not take yet is no longer simply on its way. */
const commitmentState = ({ state, lastError }: Commitment) =>
  state === 'waiting' && lastError !== null
    ? { tone: 'warning' as const, name: t('ui.images.commitmentAgain.name') }
    : { tone: COMMITMENT_TONES[state], name: t(`ui.images.commitmentStates.${state}.name`) }

function ColumnHeaders({ names }: { names: readonly string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th key={name}>{name}</Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  )
}
