import { Collapse, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { SetupState } from '#shared/contract/dashboard-setup.ts'
import { useReply } from '../../api/queries.ts'
import { Inbox } from '../../features/devices/inbox.tsx'
import { countText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Command } from '../../ui/findings.tsx'
import { Panel } from '../../ui/page.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './setup.module.css'
import { DeviceSimulator } from './simulators.tsx'
import type { StepProps } from './step.ts'

type Dicom = SetupState['dicom']

/** Waits for the first device: what to enter there, who calls, and whether it got its worklist. */
export function DeviceStep({ state: { dicom, devices } }: Pick<StepProps, 'state'>) {
  const callers = useReply(dashboard.callers, {}, { every: 2500 })
  return (
    <Stack>
      <Panel title={t('ui.setup.device.enter')}>
        <GatewayConnectionData dicom={dicom} />
      </Panel>
      <div role="status">
        {callers.data?.callers.length === 0 && (
          <div className={css.listening}>
            <span className={css.pulse} />
            {t('ui.setup.device.listening')}
          </div>
        )}
      </div>
      <Inbox />
      <Panel
        isFlush
        title={t('ui.setup.device.devices')}
        aside={<Link to="/devices">{t('ui.setup.device.byHand')}</Link>}
      >
        {devices.length === 0 && (
          <div className={css.row}>
            <Text c="dimmed">{t('ui.setup.device.none')}</Text>
          </div>
        )}
        <div aria-live="polite">
          {devices.map((device) => (
            <ReceivedConnections key={device.deviceId} device={device} />
          ))}
        </div>
      </Panel>
      <DeviceSimulator />
      <TryWithoutDevice dicom={dicom} />
    </Stack>
  )
}

function GatewayConnectionData({ dicom: { aeTitle, addresses, port, tlsPort } }: { dicom: Dicom }) {
  const networkAddresses = addresses.filter(({ kind }) => kind === 'network')
  const shown = networkAddresses.length > 0 ? networkAddresses : addresses
  const value = (text: string, what: string) => (
    <span className={css.value}>
      <b>{text}</b>
      <Copy value={text} what={what} />
    </span>
  )
  return (
    <dl className={css.given}>
      <dt>{t('ui.setup.device.aeTitle')}</dt>
      <dd>{value(aeTitle, t('ui.setup.device.what.aeTitle'))}</dd>
      <dt>{t('ui.setup.device.address')}</dt>
      <dd>
        {shown.length === 0 && t('ui.setup.device.noAddress')}
        {shown.map(({ address, card }) => (
          <span key={address} className={css.value}>
            {value(address, t('ui.setup.device.what.address'))}
            {shown.length > 1 && (
              <Text size="xs" c="dimmed">
                {t('ui.setup.device.addressOn', { card })}
              </Text>
            )}
          </span>
        ))}
      </dd>
      <dt>{t('ui.setup.device.port')}</dt>
      <dd>{value(String(port), t('ui.setup.device.what.port'))}</dd>
      {tlsPort !== null && (
        <>
          <dt>{t('ui.setup.device.tlsPort')}</dt>
          <dd>{value(String(tlsPort), t('ui.setup.device.what.port'))}</dd>
        </>
      )}
    </dl>
  )
}

function ReceivedConnections({
  device: { aeTitle, name, lastSeenAt, asked },
}: {
  device: SetupState['devices'][number]
}) {
  const deviceLabel = name && name !== aeTitle ? `${name} (${aeTitle})` : aeTitle
  const isGiven = asked?.status === '0000'
  return (
    <div className={css.row} data-tone={isGiven ? 'good' : asked ? 'danger' : 'plain'}>
      <ToneIcon tone={isGiven ? 'good' : asked ? 'danger' : 'plain'} size={19} />
      <div className={css.rowText}>
        <b>
          {isGiven
            ? t('ui.setup.device.asked', {
                name: deviceLabel,
                exams: countText(
                  asked.exams,
                  t('ui.setup.device.exams.label'),
                  t('ui.setup.device.exams.description'),
                ),
              })
            : asked
              ? t('ui.setup.device.askedFailed', { name: deviceLabel })
              : t('ui.setup.device.notAsked', { name: deviceLabel })}
        </b>
        <Text size="sm" c="dimmed">
          {asked ? (
            <Clock instant={asked.at} />
          ) : lastSeenAt ? (
            t('ui.setup.device.called')
          ) : (
            t('ui.setup.device.notCalled')
          )}
          {asked && !isGiven && ` · ${translateMessage(asked.sentence)}`}
        </Text>
      </div>
      {asked && (
        <Link to="/queries/$inspectionId" params={{ inspectionId: String(asked.inspectionId) }}>
          {t('ui.setup.device.open')}
        </Link>
      )}
    </div>
  )
}

/** For who has no device at hand: ours, and DCMTK's tools. */
function TryWithoutDevice({ dicom: { aeTitle, port } }: { dicom: Dicom }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const at = `-aec ${aeTitle} -aet CT1 127.0.0.1 ${port}`
  const calledAeTitleOption = aeTitle === 'ISTHMUS' ? '' : ` --called-ae-title ${aeTitle}`
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
        {t('ui.setup.device.play')}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Command
          about={t('ui.setup.device.playText')}
          command={`npm run -s gateway -- simulator modality --ae-title CT1 --to 127.0.0.1:${port}${calledAeTitleOption}`}
          what={t('ui.setup.network.command')}
        />
        <Command
          about={t('ui.setup.device.dcmtk')}
          command={`echoscu ${at}`}
          what={t('ui.setup.network.command')}
        />
        <Command
          command={`findscu -v -W ${at} -k PatientName -k PatientID -k "ScheduledProcedureStepSequence[0].Modality"`}
          what={t('ui.setup.network.command')}
        />
      </Collapse>
    </Panel>
  )
}
