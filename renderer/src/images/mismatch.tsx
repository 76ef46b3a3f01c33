import { Button, Stack, Table, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardImages, type ImageStudy, type Mismatch } from '#shared/contract/images.ts'
import { AskReason } from '../components/ask-reason.tsx'
import { Clock } from '../components/clock.tsx'
import { Facts, Panel } from '../components/page.tsx'
import { PersonName } from '../components/person-name.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { dayText } from '../display/dates.ts'
import { MISMATCH_NAMES, sexText } from '../display/image-states.ts'
import { useSend } from '../gateway.ts'
import css from './images.module.css'
import { words } from './words.ts'

type Field = Mismatch['fields'][number]

/** What the worklist said beside what the images say. Acknowledging changes nothing in the images. */
export function MismatchPanel({ study, mismatch, mayManage }: { study: ImageStudy; mismatch: Mismatch; mayManage: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  const isOpen = mismatch.acknowledgedAt === null
  return (
    <div data-tone={isOpen ? 'danger' : 'plain'}>
      <Panel
        isFlush
        className={isOpen ? css.mismatch : undefined}
        title={words.mismatchTitle}
        aside={<ToneIcon tone={isOpen ? 'danger' : 'plain'} size={19} />}
      >
        <Text size="sm" px={16} pt={10} maw="86ch">
          {words.mismatchAbout}
        </Text>
        <Table horizontalSpacing={16} verticalSpacing={7} mt={6} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={150}>{words.field}</Table.Th>
              <Table.Th>{words.handedOut}</Table.Th>
              <Table.Th>{words.got}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {mismatch.fields.map((field) => (
              <Table.Tr key={field.field}>
                <Table.Th scope="row" c="dimmed" fw={500}>
                  {MISMATCH_NAMES[field.field]}
                </Table.Th>
                <Table.Td className={css.differs}>
                  <Value field={field.field} value={field.handedOut} />
                </Table.Td>
                <Table.Td className={css.differs}>
                  <Value field={field.field} value={field.received} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Stack px={16} py={12} align="flex-start">
          {mismatch.acknowledgedAt !== null && <Looked mismatch={mismatch} at={mismatch.acknowledgedAt} />}
          {isOpen && mayManage && (
            <Button leftSection={<IconEye size={16} />} onClick={() => setIsAsking(true)}>
              {words.acknowledge}…
            </Button>
          )}
        </Stack>
      </Panel>
      {isAsking && <Acknowledge study={study} onDone={() => setIsAsking(false)} />}
    </div>
  )
}

function Looked({ mismatch, at }: { mismatch: Mismatch; at: string }) {
  return (
    <Facts
      facts={[
        [
          words.acknowledged,
          <span key="by">
            {mismatch.acknowledgedBy}, <Clock instant={at} />
          </span>,
        ],
        [words.acknowledgeAsk.label, mismatch.note],
      ]}
    />
  )
}

function Value({ field, value }: { field: Field['field']; value: string }) {
  if (value === '') return <span className={css.under}>{words.missing}</span>
  if (field === 'patientName') return <PersonName value={value} />
  if (field === 'patientBirthDate') return dayText(value)
  if (field === 'patientSex') return sexText(value)
  return (
    <span className="mono" style={{ overflowWrap: 'anywhere' }}>
      {value}
    </span>
  )
}

function Acknowledge({ study, onDone }: { study: ImageStudy; onDone: () => void }) {
  const send = useSend(dashboardImages.acknowledgeMismatch, [dashboardImages.read, dashboardImages.list, dashboard.status])
  return (
    <AskReason
      words={words.acknowledgeAsk}
      field="note"
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(note, onError) =>
        send.mutate({ params: { studyInstanceUid: study.studyInstanceUid }, body: { note } }, { onSuccess: onDone, onError })
      }
    >
      {words.acknowledgeText}
    </AskReason>
  )
}
