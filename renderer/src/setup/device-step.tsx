import { Collapse, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { SetupState } from '#shared/contract/dashboard-setup.ts'
import { Clock } from '../components/clock.tsx'
import { Copy } from '../components/copy.tsx'
import { Panel } from '../components/page.tsx'
import { ToneIcon } from '../components/tone.tsx'
import { Inbox } from '../devices/inbox.tsx'
import { countText } from '../display/amounts.ts'
import { useReply } from '../gateway.ts'
import { said } from '../language/said.ts'
import { Command } from './findings.tsx'
import css from './setup.module.css'
import type { StepProps } from './step.ts'
import { words } from './words.ts'

const texts = words.device
type Dicom = SetupState['dicom']

/** Waits for the first device: what to enter there, who calls, and whether it got its worklist. */
export function DeviceStep({ state: { dicom, devices } }: Pick<StepProps, 'state'>) {
  const callers = useReply(dashboard.callers, {}, { every: 2500 })
  return (
    <Stack>
      <Panel title={texts.enter}>
        <Given dicom={dicom} />
      </Panel>
      <div role="status">
        {callers.data?.callers.length === 0 && (
          <div className={css.listening}>
            <span className={css.pulse} />
            {texts.listening}
          </div>
        )}
      </div>
      <Inbox />
      <Panel isFlush title={texts.devices} aside={<Link to="/devices">{texts.byHand}</Link>}>
        {devices.length === 0 && (
          <div className={css.row}>
            <Text c="dimmed">{texts.none}</Text>
          </div>
        )}
        <div aria-live="polite">
          {devices.map((device) => (
            <Heard key={device.deviceId} device={device} />
          ))}
        </div>
      </Panel>
      <Play dicom={dicom} />
    </Stack>
  )
}

function Given({ dicom: { aeTitle, addresses, port, tlsPort } }: { dicom: Dicom }) {
  const own = addresses.filter(({ kind }) => kind === 'network')
  const shown = own.length > 0 ? own : addresses
  const value = (text: string, what: string) => (
    <span className={css.value}>
      <b>{text}</b>
      <Copy value={text} what={what} />
    </span>
  )
  return (
    <dl className={css.given}>
      <dt>{texts.aeTitle}</dt>
      <dd>{value(aeTitle, texts.what.aeTitle)}</dd>
      <dt>{texts.address}</dt>
      <dd>
        {shown.length === 0 && texts.noAddress}
        {shown.map(({ address, card }) => (
          <span key={address} className={css.value}>
            {value(address, texts.what.address)}
            {shown.length > 1 && (
              <Text size="xs" c="dimmed">
                {texts.addressOn(card)}
              </Text>
            )}
          </span>
        ))}
      </dd>
      <dt>{texts.port}</dt>
      <dd>{value(String(port), texts.what.port)}</dd>
      {tlsPort !== null && (
        <>
          <dt>{texts.tlsPort}</dt>
          <dd>{value(String(tlsPort), texts.what.port)}</dd>
        </>
      )}
    </dl>
  )
}

function Heard({
  device: { aeTitle, name, lastSeenAt, asked },
}: {
  device: SetupState['devices'][number]
}) {
  const called = name && name !== aeTitle ? `${name} (${aeTitle})` : aeTitle
  const [one, many] = texts.exams
  const isGiven = asked?.status === '0000'
  return (
    <div className={css.row} data-tone={isGiven ? 'good' : asked ? 'danger' : 'plain'}>
      <ToneIcon tone={isGiven ? 'good' : asked ? 'danger' : 'plain'} size={19} />
      <div className={css.rowText}>
        <b>
          {isGiven
            ? texts.asked(called, countText(asked.exams, one, many))
            : asked
              ? texts.askedFailed(called)
              : texts.notAsked(called)}
        </b>
        <Text size="sm" c="dimmed">
          {asked ? <Clock instant={asked.at} /> : lastSeenAt ? texts.called : texts.notCalled}
          {asked && !isGiven && ` · ${said(asked.sentence)}`}
        </Text>
      </div>
      {asked && (
        <Link to="/queries/$inspectionId" params={{ inspectionId: String(asked.inspectionId) }}>
          {texts.open}
        </Link>
      )}
    </div>
  )
}

/** For who has no device at hand: ours, and DCMTK's tools. */
function Play({ dicom: { aeTitle, port } }: { dicom: Dicom }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const at = `-aec ${aeTitle} -aet CT1 127.0.0.1 ${port}`
  const called = aeTitle === 'ISTHMUS' ? '' : ` --called-ae-title ${aeTitle}`
  return (
    <Panel>
      <UnstyledButton
        onClick={toggle}
        aria-expanded={isOpen}
        fw={620}
        mih={24}
        display="flex"
        style={{ gap: 6, alignItems: 'center' }}
      >
        {isOpen ? <IconChevronDown size={17} /> : <IconChevronRight size={17} />}
        {texts.play}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Command
          about={texts.playText}
          command={`npm run -s gateway -- simulator modality --ae-title CT1 --to 127.0.0.1:${port}${called}`}
          what={words.network.command}
        />
        <Command about={texts.dcmtk} command={`echoscu ${at}`} what={words.network.command} />
        <Command
          command={`findscu -v -W ${at} -k PatientName -k PatientID -k "ScheduledProcedureStepSequence[0].Modality"`}
          what={words.network.command}
        />
      </Collapse>
    </Panel>
  )
}
