import { Button, Group, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import {
  dashboardServiceVisit,
  type TracedAssociation,
  type TracedMessage,
} from '#shared/contract/service-visit.ts'
import { useSend } from '../../api/queries.ts'
import { bytesText, durationText, numberText } from '../../format/amounts.ts'
import { codeOf, describeStatus } from '../../format/dimse-status.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { keywordText } from '../../i18n/param-text.ts'
import { t } from '../../i18n/t.ts'
import { NegotiatedContexts } from '../../ui/association-terms.tsx'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import css from './service-visit.module.css'

const TONES = {
  open: 'good',
  released: 'plain',
  aborted: 'warning',
  rejected: 'danger',
  lost: 'warning',
} as const

interface TracedProps {
  readonly deviceId: string
  readonly traced: TracedAssociation
  /** Whether everything is open, for the paper. */
  readonly isPrinting: boolean
}

/** One connection: who called whom, what was agreed, and each message. */
export function TracedConnection({ deviceId, traced, isPrinting }: TracedProps) {
  const { association, rejection, remedy } = traced
  const { aeTitle, calledAeTitle, address, tls, how, detail, counts } = association
  const values = useSend(dashboardServiceVisit.values)
  const { associationId } = association
  const messages = values.data?.messages ?? traced.messages
  return (
    <details className={css.connection} {...(isPrinting && { open: true })}>
      <summary>
        <Clock instant={association.openedAt} />
        <span className="mono">
          {aeTitle} → {calledAeTitle}
        </span>
        <span className="mono">{address}</span>
        <Tag tone={TONES[how]} meaning={t(`ui.activity.ends.${how}.meaning`)}>
          {t(`ui.activity.ends.${how}.name`)}
        </Tag>
        {counts.failures > 0 && (
          <Tag tone="danger">{t('ui.devices.visit.failures', { count: counts.failures })}</Tag>
        )}
        <span className={css.quiet}>
          {t('ui.devices.visit.messages', { count: traced.messages.length + traced.omitted })}
        </span>
      </summary>
      <div className={css.inside}>
        {detail && how !== 'released' && (
          <Notice tone={how === 'rejected' ? 'danger' : 'warning'} title={translateMessage(detail)}>
            {remedy && <div>{translateMessage(remedy)}</div>}
            {rejection && <div className={`mono ${css.quiet}`}>{rejection}</div>}
          </Notice>
        )}
        <FactList
          facts={[
            [
              t('ui.devices.visit.facts.calling'),
              <span key="1" className="mono">
                {aeTitle}
              </span>,
            ],
            [
              t('ui.devices.visit.facts.called'),
              <span key="2" className="mono">
                {calledAeTitle}
              </span>,
            ],
            [
              t('ui.devices.visit.facts.address'),
              <span key="3" className="mono">
                {address}
              </span>,
            ],
            [t('ui.devices.visit.facts.encryption'), tls || t('ui.devices.visit.facts.plain')],
            [
              t('ui.devices.visit.facts.ended'),
              association.endedAt ? <Clock key="4" instant={association.endedAt} /> : '',
            ],
          ]}
        />
        {how !== 'rejected' && <NegotiatedContexts terms={traced.terms} />}
        {!traced.isTraced && <Text size="sm">{t('ui.devices.visit.notKept')}</Text>}
        {messages.length > 0 && (
          <>
            <Group justify="space-between">
              <h3 className={css.heading}>{t('ui.devices.visit.messagesTitle')}</h3>
              {!values.data && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  className={css.act}
                  leftSection={<IconEye size={15} />}
                  loading={values.isPending}
                  onClick={() => values.mutate({ params: { deviceId, associationId } })}
                >
                  {t('ui.devices.visit.showValues')}
                </Button>
              )}
            </Group>
            {values.data && <Notice tone="warning">{t('ui.devices.visit.valuesShown')}</Notice>}
            {values.error && <ErrorNotice error={values.error} />}
            <ol className={css.messages}>
              {withUniqueKeys(messages, ({ at }) => at).map(([key, message]) => (
                <MessageItem key={key} message={message} isPrinting={isPrinting} />
              ))}
            </ol>
            {traced.omitted > 0 && (
              <Text size="sm" c="dimmed">
                {t('ui.devices.visit.omitted', { count: traced.omitted })}
              </Text>
            )}
          </>
        )}
      </div>
    </details>
  )
}

function MessageItem({ message, isPrinting }: { message: TracedMessage; isPrinting: boolean }) {
  const { at, type, service, responses, bytes, ms, status, isFailure } = message
  const { name, meaning } = describeStatus(codeOf(status))
  return (
    <li>
      <details {...(isPrinting && { open: true })}>
        <summary>
          <Clock instant={at} />
          <b className="mono">{type}</b>
          <span translate="no">{service}</span>
          <Tag tone={isFailure ? 'danger' : 'good'} meaning={meaning}>
            {codeOf(status)} {name}
          </Tag>
          <span className={css.quiet}>
            {[
              responses > 0 && t('ui.devices.visit.responses', { count: responses }),
              bytes > 0 && bytesText(bytes),
              durationText(ms),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </summary>
        <FactList
          facts={[
            [t('ui.devices.visit.context'), numberText(message.contextId)],
            [
              t('ui.devices.visit.syntax'),
              <span key="syntax" translate="no">
                {message.transferSyntax}
              </span>,
            ],
          ]}
        />
        <Command title={t('ui.devices.visit.request')} fields={message.request} />
        <Command title={t('ui.devices.visit.response')} fields={message.response} />
        <DataSet message={message} />
      </details>
    </li>
  )
}

function Command({ title, fields }: { title: string; fields: TracedMessage['request'] }) {
  if (fields.length === 0) return null
  return (
    <table className={css.table}>
      <caption>{title}</caption>
      <tbody translate="no">
        {fields.map(({ keyword, value }) => (
          <tr key={keyword}>
            <th scope="row">{keywordText(keyword)}</th>
            <td className="mono">{value ?? t('ui.devices.visit.replaced')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DataSet({ message: { dataSet, bytes } }: { message: TracedMessage }) {
  if (dataSet === null)
    return bytes > 0 ? (
      <Text size="sm" c="dimmed">
        {t('ui.devices.visit.dataSetNotKept', { size: bytesText(bytes) })}
      </Text>
    ) : null
  return (
    <table className={css.table}>
      <caption>{t('ui.devices.visit.dataSet')}</caption>
      <tbody translate="no">
        {withUniqueKeys(dataSet, ({ tag }) => tag).map(
          ([key, { depth, tag, keyword, vr, value, length }]) => (
            <tr key={key}>
              <td className="mono">{tag}</td>
              <td className="mono">{vr}</td>
              <th scope="row" style={{ paddingInlineStart: depth * 16 }}>
                {keywordText(keyword)}
              </th>
              <td className="mono">
                {value ?? t('ui.devices.visit.replacedBytes', { count: length })}
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  )
}

/** Each item with a key of its own: items of a sequence repeat their tags, in the same order. */
function withUniqueKeys<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
): readonly [string, T][] {
  const seen = new Map<string, number>()
  return items.map((item) => {
    const name = nameOf(item)
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return [`${name} ${nth}`, item]
  })
}
