import { Button, Stack, Table, Text, Title } from '@mantine/core'
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
import { type MismatchRow, rowsAmongImages, rowsBesideWorklist } from './mismatch-rows.ts'
import { words } from './words.ts'

/** What the worklist said beside what the images say, and what images of the study say that differ. Acknowledging changes nothing in them. */
export function MismatchPanel({ study, mismatch, mayManage }: { study: ImageStudy; mismatch: Mismatch; mayManage: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  const isOpen = mismatch.acknowledgedAt === null
  const hasRow = mismatch.fields.length > 0
  return (
    <div data-tone={isOpen ? 'danger' : 'plain'}>
      <Panel
        isFlush
        className={isOpen ? css.mismatch : undefined}
        title={hasRow ? words.mismatchTitle : words.amongTitle}
        aside={<ToneIcon tone={isOpen ? 'danger' : 'plain'} size={19} />}
      >
        {hasRow && <Sides about={words.mismatchAbout} one={words.handedOut} other={words.got} rows={rowsBesideWorklist(mismatch)} />}
        {mismatch.amongImages.length > 0 && (
          <div className={hasRow ? css.second : undefined}>
            {hasRow && (
              <Title order={3} px={16}>
                {words.amongTitle}
              </Title>
            )}
            <Sides about={words.amongAbout} one={words.firstSay} other={words.othersSay} rows={rowsAmongImages(mismatch)} />
          </div>
        )}
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

function Sides({ about, one, other, rows }: { about: string; one: string; other: string; rows: readonly MismatchRow[] }) {
  return (
    <>
      <Text size="sm" px={16} pt={10} maw="86ch">
        {about}
      </Text>
      <Table className={`${css.rows} ${css.sides}`} horizontalSpacing={16} verticalSpacing={7} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={150}>{words.field}</Table.Th>
            <Table.Th>{one}</Table.Th>
            <Table.Th>{other}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.field} ${row.one}`}>
              <Table.Th scope="row" c="dimmed" fw={500}>
                {MISMATCH_NAMES[row.field]}
              </Table.Th>
              <Table.Td className={css.differs}>
                <Value field={row.field} value={row.one} />
              </Table.Td>
              <Table.Td className={css.differs}>
                {row.others.map((value) => (
                  <div key={value}>
                    <Value field={row.field} value={value} />
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
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

function Value({ field, value }: { field: MismatchRow['field']; value: string }) {
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
