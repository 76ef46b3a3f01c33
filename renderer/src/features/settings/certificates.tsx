import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconCopy, IconDownload, IconRefresh } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { type Certificate, dashboard } from '#shared/contract/dashboard.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useZone } from '../../api/status.ts'
import { dayText, todayIn } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import { expiryTone } from './expiry.ts'
import css from './settings.module.css'

/**
 * The gateway's own certificates: until when they are good, to be given to others, to be renewed.
 */
export function Certificates() {
  const reply = useReply(dashboard.certificates, {}, { staleTime: 60_000 })
  const [renewing, setRenewing] = useState<Certificate | null>(null)
  return (
    <Panel title={t('ui.settings.certificates.title')}>
      <Text size="sm" c="dimmed" mt={-6} mb={4}>
        {t('ui.settings.certificates.about')}
      </Text>
      {reply.isPending && <LoadingPlaceholder rows={3} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.data?.certificates.length === 0 && (
        <Text size="sm">{t('ui.settings.certificates.none')}</Text>
      )}
      {reply.data?.certificates.map((certificate) => (
        <CertificateRow
          key={certificate.use}
          certificate={certificate}
          onRenew={() => setRenewing(certificate)}
        />
      ))}
      {renewing && <RenewDialog certificate={renewing} onDone={() => setRenewing(null)} />}
    </Panel>
  )
}

function CertificateRow({
  certificate,
  onRenew,
}: {
  certificate: Certificate
  onRenew: () => void
}) {
  const {
    use,
    isInUse,
    subject,
    issuer,
    isSelfMade,
    fingerprint256,
    notBefore,
    notAfter,
    daysLeft,
    pem,
  } = certificate
  const zone = useZone()
  const { isCopied, copy } = useCopy(pem)
  const tone = expiryTone(daysLeft)
  const day = (instant: string) => dayText(todayIn(zone, new Date(instant)))
  return (
    <div className={css.certificate}>
      <Group justify="space-between" gap={8}>
        <span className={css.label}>{t(`ui.settings.certificates.uses.${use}`)}</span>
        <Group gap={6}>
          <Tag tone={isInUse ? 'good' : 'plain'}>
            {isInUse ? t('ui.settings.certificates.inUse') : t('ui.settings.certificates.notInUse')}
          </Tag>
          <Tag tone={tone}>
            {daysLeft < 0
              ? t('ui.settings.certificates.ended')
              : t('ui.settings.certificates.left', { days: daysLeft })}
          </Tag>
        </Group>
      </Group>
      <FactList
        facts={[
          [t('ui.settings.certificates.subject'), subject],
          [
            t('ui.settings.certificates.issuer'),
            isSelfMade ? t('ui.settings.certificates.selfMade') : issuer,
          ],
          [
            t('ui.settings.certificates.valid'),
            t('ui.settings.certificates.validity', { from: day(notBefore), to: day(notAfter) }),
          ],
          [
            t('ui.settings.certificates.fingerprint'),
            <span key="fingerprint" className="mono">
              {breakableFingerprint(fingerprint256)}
            </span>,
          ],
        ]}
      />
      {isInUse && isSelfMade && tone !== 'plain' && (
        <Notice tone={tone}>
          {daysLeft < 0
            ? t('ui.settings.certificates.endedText')
            : t('ui.settings.certificates.endsSoon')}
        </Notice>
      )}
      <Group gap={8}>
        <Button
          variant="default"
          size="xs"
          leftSection={isCopied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          onClick={copy}
        >
          {isCopied ? t('ui.settings.certificates.copied') : t('ui.settings.certificates.copy')}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={15} />}
          onClick={() => downloadPem(`isthmus-${use}.pem`, pem)}
        >
          {t('ui.settings.certificates.download')}
        </Button>
        {isSelfMade && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={15} />}
            onClick={onRenew}
          >
            {t('ui.settings.certificates.renew')}…
          </Button>
        )}
      </Group>
    </div>
  )
}

/** A line ends between two bytes of a fingerprint, never within one. */
const breakableFingerprint = (fingerprint: string) =>
  fingerprint.split(/(?<=:)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: bytes repeat, and their order never changes
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ))

function RenewDialog({ certificate, onDone }: { certificate: Certificate; onDone: () => void }) {
  const renew = useSend(dashboard.renewCertificate, [dashboard.certificates, dashboard.status])
  const confirm = () =>
    renew.mutate(
      { params: { use: certificate.use } },
      {
        onSuccess: () => {
          onDone()
          notifications.show({
            message: t('ui.settings.certificates.renewed'),
            icon: <IconCheck size={18} />,
          })
        },
      },
    )
  return (
    <ConfirmAction
      isOpen
      title={t('ui.settings.certificates.renewTitle')}
      action={t('ui.settings.certificates.renewAction')}
      isBusy={renew.isPending}
      error={renew.error}
      onClose={onDone}
      onConfirm={confirm}
    >
      <Stack gap={6}>
        <b>{t(`ui.settings.certificates.uses.${certificate.use}`)}</b>
        <Text size="sm">{t(`ui.settings.certificates.renewText.${certificate.use}`)}</Text>
      </Stack>
    </ConfirmAction>
  )
}

function downloadPem(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-pem-file' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
