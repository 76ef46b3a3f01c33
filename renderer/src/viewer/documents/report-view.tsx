import { Button } from '@mantine/core'
import { IconPhoto, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import type {
  ContentItem,
  ObjectReference,
  StructuredReport,
} from '#shared/contract/viewed-objects.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../../api/client.ts'
import { dayText, timeText } from '../../format/dates.ts'
import { nameText } from '../../format/patient-name.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { call } from '../calls.ts'
import { nameOf } from '../overlay-text.ts'
import { foundImage, showInstance } from '../show-instance.ts'
import { useImages, useViewerContext } from '../viewer-context.ts'
import { openingOf } from './media-name.ts'
import { printDocument } from './print-document.ts'
import css from './report.module.css'
import {
  conceptText,
  dateTimeText,
  isContext,
  modifiersOf,
  partsOf,
  type ReportNode,
  type ReportRow,
  reportTree,
  rowsOf,
  unitText,
  valueText,
} from './report-tree.ts'

/** A structured report as a document. */
export default function ReportView({ sopInstanceUid }: { sopInstanceUid: string }) {
  const { viewerStore } = useViewerContext()
  const { viewId } = viewerStore.view
  const reply = useQuery<StructuredReport, ProblemError>({
    queryKey: [viewing.report.path, sopInstanceUid],
    queryFn: ({ signal }) => call(viewing.report, { params: { viewId, sopInstanceUid } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={8} height={28} />
  return <Report report={reply.data} />
}

function Report({ report }: { report: StructuredReport }) {
  const root = reportTree(report.items)
  const nodes = root?.children ?? []
  const context = nodes.filter(isContext)
  const title = conceptText(report.title) || t('ui.viewer.media.kinds.report')
  return (
    <article className={css.report} aria-label={title} data-document data-scrolls>
      <header className={css.head}>
        <h1>{title}</h1>
        <div className={css.flags}>
          <Flags report={report} />
          <Button
            size="compact-sm"
            variant="default"
            data-not-printed
            leftSection={<IconPrinter size={14} />}
            onClick={printDocument}
          >
            {t('ui.viewer.report.print')}
          </Button>
        </div>
        <ReportFacts report={report} />
      </header>
      {report.faults.map((fault) => (
        <Notice key={fault.code} tone="warning">
          {translateMessage(fault)}
        </Notice>
      ))}
      {root && modifiersOf(root).length > 0 && (
        <p className={css.modifiers}>{modifiersOf(root).join(' · ')}</p>
      )}
      {nodes.length === context.length && (
        <p className={css.empty}>{t('ui.viewer.report.noContent')}</p>
      )}
      <Parts nodes={nodes.filter((node) => !isContext(node) && !isLeafModifier(node))} level={2} />
      {context.length > 0 && (
        <details className={css.context}>
          <summary>{t('ui.viewer.report.context')}</summary>
          <Rows rows={context.flatMap((node) => rowsOf(node, 0))} />
        </details>
      )}
    </article>
  )
}

/** Shown under the title, as they belong to it. */
const isLeafModifier = ({ item, children }: ReportNode) =>
  item.relationship === 'HAS CONCEPT MOD' && children.length === 0

function Flags({ report }: { report: StructuredReport }) {
  const { completionFlag, completionDescription, verificationFlag, preliminaryFlag } = report
  return (
    <>
      {preliminaryFlag === 'PRELIMINARY' && (
        <Tag tone="warning">{t('ui.viewer.report.preliminary')}</Tag>
      )}
      {completionFlag === 'PARTIAL' && (
        <Tag tone="warning" meaning={completionDescription}>
          {t('ui.viewer.report.partial')}
        </Tag>
      )}
      {completionFlag === 'COMPLETE' && (
        <Tag tone="good" meaning={completionDescription}>
          {t('ui.viewer.report.complete')}
        </Tag>
      )}
      {verificationFlag === 'VERIFIED' && <Tag tone="good">{t('ui.viewer.report.verified')}</Tag>}
      {verificationFlag === 'UNVERIFIED' && (
        <Tag tone="warning">{t('ui.viewer.report.unverified')}</Tag>
      )}
    </>
  )
}

function ReportFacts({ report }: { report: StructuredReport }) {
  const { context, contentDate, contentTime, people, predecessors, completionDescription } = report
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [
      t('ui.viewer.report.patient'),
      [
        nameText(context.patientName),
        context.patientId,
        context.patientBirthDate &&
          t('ui.viewer.overlay.born', { day: dayText(context.patientBirthDate) }),
        context.patientSex,
      ]
        .filter(Boolean)
        .join(', '),
    ],
    [
      t('ui.viewer.report.study'),
      [context.studyDescription, dayText(context.studyDate), context.accessionNumber]
        .filter(Boolean)
        .join(', '),
    ],
    [t('ui.viewer.report.referrer'), nameText(context.referringPhysician)],
    [t('ui.viewer.report.series'), context.seriesDescription],
    [
      t('ui.viewer.report.created'),
      [contentDate && dayText(contentDate), contentTime && timeText(contentTime)]
        .filter(Boolean)
        .join(' '),
    ],
    [
      t('ui.viewer.report.device'),
      [context.institution, context.manufacturer, context.model].filter(Boolean).join(', '),
    ],
    [t('ui.viewer.report.completion'), completionDescription],
    ...people.map(
      ({ role, name, organization, code, at }) =>
        [
          t(`ui.viewer.report.roles.${role}`),
          [nameText(name), conceptText(code), organization, dateTimeText(at)]
            .filter(Boolean)
            .join(', '),
        ] as const,
    ),
    [
      t('ui.viewer.report.predecessors'),
      predecessors > 0 ? t('ui.viewer.report.replaces', { count: predecessors }) : '',
    ],
  ]
  return (
    <dl className={css.facts}>
      {facts.map(([name, value], index) =>
        value ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: two people may have the same role and name
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

const MAX_HEADING_LEVEL = 6

function Parts({ nodes, level }: { nodes: readonly ReportNode[]; level: number }) {
  return partsOf(nodes).map((part) =>
    part.kind === 'rows' ? (
      <Rows key={part.rows[0]?.item.position} rows={part.rows} />
    ) : part.kind === 'text' ? (
      <LongText key={part.node.item.position} node={part.node} />
    ) : (
      <Section key={part.node.item.position} node={part.node} level={level} />
    ),
  )
}

function Section({ node, level }: { node: ReportNode; level: number }) {
  const { item, children } = node
  const title = conceptText(item.concept)
  const modifiers = modifiersOf(node)
  return (
    <section className={css.section} id={idOf(item.position)}>
      {title && createElement(`h${Math.min(level, MAX_HEADING_LEVEL)}`, {}, title)}
      {modifiers.length > 0 && <p className={css.modifiers}>{modifiers.join(' · ')}</p>}
      <Parts nodes={children.filter((child) => !isLeafModifier(child))} level={level + 1} />
    </section>
  )
}

function LongText({ node }: { node: ReportNode }) {
  const { item, children } = node
  const name = conceptText(item.concept)
  const modifiers = modifiersOf(node)
  return (
    <div className={css.text} id={idOf(item.position)}>
      {name && <b>{name}</b>}
      {modifiers.length > 0 && <p className={css.modifiers}>{modifiers.join(' · ')}</p>}
      <p>{item.value}</p>
      <Rows
        rows={children
          .filter((child) => !isLeafModifier(child))
          .flatMap((child) => rowsOf(child, 0))}
      />
    </div>
  )
}

function Rows({ rows }: { rows: readonly ReportRow[] }) {
  if (rows.length === 0) return null
  return (
    <table className={css.rows}>
      <tbody>
        {rows.map(({ item, indent, modifiers }) => (
          <tr key={item.position} id={idOf(item.position)}>
            <th scope="row" style={{ paddingInlineStart: indent * 14 }}>
              {conceptText(item.concept) || nameOfType(item)}
              {modifiers.length > 0 && (
                <span className={css.modifiers}>{modifiers.join(' · ')}</span>
              )}
            </th>
            <td
              data-number={item.valueType === 'NUM' || undefined}
              colSpan={unitText(item) ? 1 : 2}
            >
              <Value item={item} />
            </td>
            {unitText(item) && <td className={css.unit}>{unitText(item)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** An item without a name: what it is. */
function nameOfType({ valueType, target }: ContentItem): string {
  if (target) return t('ui.viewer.report.types.reference')
  if (valueType === 'IMAGE') return t('ui.viewer.report.types.image')
  if (valueType === 'WAVEFORM') return t('ui.viewer.report.types.waveform')
  if (valueType === 'COMPOSITE') return t('ui.viewer.report.types.object')
  if (valueType === 'SCOORD' || valueType === 'SCOORD3D') return t('ui.viewer.report.types.region')
  return ''
}

function Value({ item }: { item: ContentItem }) {
  const qualifier = item.valueType === 'NUM' && item.value ? conceptText(item.qualifier) : ''
  if (item.target)
    return (
      <a href={`#${idOf(item.target)}`} onClick={(event) => scrollTo(event, item.target)}>
        {t('ui.viewer.report.item', { position: item.target })}
      </a>
    )
  return (
    <>
      {valueText(item)}
      {qualifier && <span className={css.modifiers}>{qualifier}</span>}
      {item.references.map((reference) => (
        <Reference key={reference.sopInstanceUid} reference={reference} />
      ))}
    </>
  )
}

/** The address of the page has the view in it and stays as it is. */
function scrollTo(event: { preventDefault(): void }, position: string): void {
  event.preventDefault()
  document.getElementById(idOf(position))?.scrollIntoView({ block: 'center' })
}

const idOf = (position: string) => `report-item-${position}`

/** An object that the report refers to: it is opened, where it is in the view. */
function Reference({ reference }: { reference: ObjectReference }) {
  const viewerContext = useViewerContext()
  const images = useImages()
  const { sopInstanceUid, frames, channels } = reference
  const found = foundImage(images, sopInstanceUid, frames[0])
  const medium = images.media.find(({ object }) => object?.sopInstanceUid === sopInstanceUid)
  if (!found && !medium)
    return (
      <span className={css.absent} title={sopInstanceUid}>
        {t('ui.viewer.report.absent')}
        {channels.length > 0 && ` (${channelsText(channels)})`}
      </span>
    )
  const name = found
    ? t('ui.viewer.drawings.where', { series: nameOf(found.series), number: found.index + 1 })
    : medium?.title || t('ui.viewer.report.types.object')
  const open = () => {
    if (found) showInstance(viewerContext, sopInstanceUid, frames[0])
    else if (medium) viewerContext.viewerStore.set(openingOf(medium, false))
  }
  return (
    <button type="button" className={css.link} onClick={open}>
      {found && <IconPhoto size={14} aria-hidden />}
      {name}
      {channels.length > 0 && ` (${channelsText(channels)})`}
    </button>
  )
}

/** Pairs of multiplex group and channel: `1/2, 1/3`. */
const channelsText = (channels: readonly number[]): string =>
  Array.from({ length: channels.length >> 1 }, (_, pair) =>
    channels.slice(pair * 2, pair * 2 + 2).join('/'),
  ).join(', ')
