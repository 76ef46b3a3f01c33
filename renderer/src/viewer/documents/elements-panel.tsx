import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconDownload, IconPrinter, IconSearch, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ElementList, ListedElement } from '#shared/contract/viewed-objects.ts'
import { viewing } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import type { ProblemError } from '../../api/client.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { call } from '../calls.ts'
import {
  useActivePaneId,
  usePaneState,
  useViewerContext,
  useViewerState,
} from '../viewer-context.ts'
import { foundElements, wordsOf } from './element-search.ts'
import css from './elements-panel.module.css'
import { printDocument } from './print-document.ts'

/** Each read is audited: images that are scrolled past are not read. */
const SEARCH_DELAY_MS = 400
/** Rows that are drawn; a search finds the others. */
const MAX_ROWS = 2000

/** The elements of the data set of the image in the active pane. */
export default function ElementsPanel() {
  const { viewerStore } = useViewerContext()
  const shown = usePaneState(useActivePaneId(), ({ image }) => image?.sopInstanceUid ?? '')
  const [sopInstanceUid] = useDebouncedValue(shown, SEARCH_DELAY_MS)
  const isAnonymous = useViewerState((state) => state.isAnonymous)
  const close = () => viewerStore.set({ hasElements: false })
  return (
    <section className={css.panel} aria-label={t('ui.viewer.elements.title')} data-document>
      <header className={css.head}>
        <span>{t('ui.viewer.elements.title')}</span>
        {sopInstanceUid && !isAnonymous && <Actions sopInstanceUid={sopInstanceUid} />}
        <Tooltip
          label={t('ui.viewer.toolbar.withKey', {
            label: t('ui.viewer.elements.close'),
            keys: 'Esc',
          })}
        >
          <ActionIcon
            size="md"
            aria-label={t('ui.viewer.elements.close')}
            data-not-printed
            onClick={close}
          >
            <IconX size={17} />
          </ActionIcon>
        </Tooltip>
      </header>
      {isAnonymous ? (
        <Notice tone="info">{t('ui.viewer.media.hidden')}</Notice>
      ) : sopInstanceUid ? (
        <Elements sopInstanceUid={sopInstanceUid} />
      ) : (
        <p className={css.none}>{t('ui.viewer.elements.noImage')}</p>
      )}
    </section>
  )
}

/** Downloading and printing take data of the patient out of the viewer. */
function Actions({ sopInstanceUid }: { sopInstanceUid: string }) {
  const { viewerStore } = useViewerContext()
  const { viewId, whyNoExport } = viewerStore.view
  const why = whyNoExport ? translateMessage(whyNoExport) : ''
  return (
    <div className={css.actions} data-not-printed>
      <Tooltip label={why || t('ui.viewer.elements.downloadAbout')} multiline maw={320}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} />}
          {...(why
            ? { 'data-disabled': true, 'aria-disabled': true }
            : { component: 'a', href: viewPaths.file(viewId, sopInstanceUid), download: '' })}
        >
          {t('ui.viewer.elements.download')}
        </Button>
      </Tooltip>
      <Tooltip label={why || t('ui.viewer.report.print')} multiline maw={320}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPrinter size={14} />}
          {...(why ? { 'data-disabled': true, 'aria-disabled': true } : { onClick: printDocument })}
        >
          {t('ui.viewer.report.print')}
        </Button>
      </Tooltip>
    </div>
  )
}

function Elements({ sopInstanceUid }: { sopInstanceUid: string }) {
  const { viewerStore } = useViewerContext()
  const { viewId } = viewerStore.view
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text, 150)
  const reply = useQuery<ElementList, ProblemError>({
    queryKey: [viewing.elements.path, sopInstanceUid],
    queryFn: ({ signal }) => call(viewing.elements, { params: { viewId, sopInstanceUid } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const elements = reply.data?.elements
  const found = useMemo(() => foundElements(elements ?? [], wanted), [elements, wanted])
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={10} height={22} />
  return (
    <>
      <TextInput
        className={css.search ?? ''}
        size="xs"
        type="search"
        aria-label={t('ui.viewer.elements.search')}
        placeholder={t('ui.viewer.elements.search')}
        leftSection={<IconSearch size={14} />}
        value={text}
        data-not-printed
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {reply.data.isCut && (
        <Notice tone="info">
          {t('ui.viewer.elements.cut', { count: reply.data.elements.length })}
        </Notice>
      )}
      <div className={css.scroller} data-scrolls>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('ui.viewer.elements.columns.tag')}</th>
              <th scope="col">{t('ui.viewer.elements.columns.name')}</th>
              <th scope="col">{t('ui.viewer.elements.columns.vr')}</th>
              <th scope="col">{t('ui.viewer.elements.columns.value')}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, MAX_ROWS).map((element, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a tag may be in several items
              <Row key={index} element={element} />
            ))}
          </tbody>
        </table>
        {found.length === 0 && <p className={css.none}>{t('ui.viewer.elements.nothing')}</p>}
        {found.length > MAX_ROWS && (
          <p className={css.none}>
            {t('ui.viewer.elements.more', { count: found.length - MAX_ROWS })}
          </p>
        )}
      </div>
    </>
  )
}

function Row({ element }: { element: ListedElement }) {
  const { depth, tag, keyword, vr, kind, items } = element
  if (kind === 'item')
    return (
      <tr className={css.item}>
        <td colSpan={4} style={{ paddingInlineStart: indentOf(depth) }}>
          {t('ui.viewer.elements.item', { number: items })}
        </td>
      </tr>
    )
  return (
    <tr>
      <td className={css.tag} style={{ paddingInlineStart: indentOf(depth) }}>
        {tag}
      </td>
      <td title={keyword}>
        {wordsOf(keyword) || <i className={css.quiet}>{t('ui.viewer.elements.unknown')}</i>}
      </td>
      <td className={css.vr}>{vr}</td>
      <td className={css.value}>
        <Value element={element} />
      </td>
    </tr>
  )
}

const INDENT = 9
const indentOf = (depth: number) => 6 + depth * INDENT

function Value({ element: { kind, value, length, items } }: { element: ListedElement }) {
  if (kind === 'sequence')
    return <i className={css.quiet}>{t('ui.viewer.elements.items', { count: items })}</i>
  if (kind === 'binary')
    return (
      <i className={css.quiet}>
        {length === null
          ? t('ui.viewer.elements.fragments')
          : t('ui.viewer.elements.bytes', { count: length })}
      </i>
    )
  return (
    <>
      {value}
      {kind === 'cut' && <i className={css.quiet}> {t('ui.viewer.elements.continues')}</i>}
    </>
  )
}
