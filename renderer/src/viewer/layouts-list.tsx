import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconArrowBackUp, IconArrowUp, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { HangingProtocol, HangingProtocols } from '#shared/contract/hanging-protocols.ts'
import { viewing } from '#shared/contract/viewing.ts'
import type { ProblemError } from '../api/client.ts'
import { randomId } from '../format/random-id.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from '../ui/page.tsx'
import { call } from './calls.ts'
import { hangingSeriesIn } from './hangables.ts'
import { applyHangingProtocol, builtInHanging, savedPanes } from './hanging.ts'
import { LayoutForm } from './layout-form.tsx'
import { currentStudy } from './prior-relevance.ts'
import css from './side.module.css'
import { useHangingProtocols } from './use-opening-layout.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'
import { paneIdOf } from './viewer-store.ts'

/** Layouts that a person has saved for kinds of studies, and the form to save the present one. */
export function LayoutsList() {
  const { viewerStore } = useViewerContext()
  const reply = useHangingProtocols()
  const [edited, setEdited] = useState<HangingProtocol>()
  const [removed, setRemoved] = useState<readonly HangingProtocol[]>()
  const draft = useDraft()
  const save = useSaveLayout()
  if (viewerStore.view.user === null)
    return (
      <>
        <p className={css.about}>{t('ui.viewer.layouts.noUser')}</p>
        <BuiltInLayoutNote />
      </>
    )
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (!reply.data) return <LoadingPlaceholder rows={3} height={52} />
  const { revision, protocols } = reply.data
  const store = (next: readonly HangingProtocol[], onDone?: () => void) =>
    save.mutate({ revision, protocols: [...next] }, onDone && { onSuccess: onDone })
  if (edited) {
    const isNew = protocols.every(({ protocolId }) => protocolId !== edited.protocolId)
    return (
      <LayoutForm
        protocol={edited}
        isNew={isNew}
        isBusy={save.isPending}
        error={save.error}
        onCancel={() => setEdited(undefined)}
        onSave={(protocol) =>
          store(
            isNew
              ? [protocol, ...protocols]
              : protocols.map((one) => (one.protocolId === protocol.protocolId ? protocol : one)),
            () => setEdited(undefined),
          )
        }
      />
    )
  }
  return (
    <>
      <p className={css.about}>{t('ui.viewer.layouts.about')}</p>
      <Button size="compact-sm" fullWidth mb="sm" onClick={() => setEdited(draft())}>
        {t('ui.viewer.layouts.save')}
      </Button>
      {save.error && <ErrorNotice error={save.error} onRetry={() => void reply.refetch()} />}
      {removed && (
        <Button
          size="compact-sm"
          variant="default"
          mb="sm"
          leftSection={<IconArrowBackUp size={15} />}
          onClick={() => store(removed, () => setRemoved(undefined))}
        >
          {t('ui.viewer.layouts.undoDelete')}
        </Button>
      )}
      {protocols.length === 0 && <p className={css.about}>{t('ui.viewer.layouts.none')}</p>}
      <ul className={css.list}>
        {protocols.map((protocol, at) => (
          <SavedLayouts
            key={protocol.protocolId}
            protocol={protocol}
            isBusy={save.isPending}
            onEdit={() => setEdited(protocol)}
            onUp={at === 0 ? undefined : () => store(movedUp(protocols, at))}
            onDelete={() => {
              setRemoved(protocols)
              store(protocols.filter((one) => one !== protocol))
            }}
          />
        ))}
      </ul>
      <BuiltInLayoutNote />
    </>
  )
}

function movedUp<T>(all: readonly T[], at: number): T[] {
  const moved = [...all]
  moved.splice(at - 1, 0, ...moved.splice(at, 1))
  return moved
}

function useSaveLayout() {
  const { viewerStore } = useViewerContext()
  const queries = useQueryClient()
  return useMutation<{ revision: number }, ProblemError, HangingProtocols>({
    mutationFn: (body) =>
      call(viewing.saveHangingProtocols, { params: { viewId: viewerStore.view.viewId }, body }),
    onSuccess: ({ revision }, { protocols }) =>
      queries.setQueryData<HangingProtocols>([viewing.hangingProtocols.path], {
        revision,
        protocols,
      }),
  })
}

/** What is on the screen now as a protocol, for studies like this one. */
function useDraft(): () => HangingProtocol {
  const { viewerStore, engine } = useViewerContext()
  const images = useImages()
  return () => {
    const { board, planesOf } = viewerStore.state()
    const study = currentStudy(images)
    const description = images.studies.find(({ study }) => !study.isPrior)?.study.studyDescription
    const modality = study?.modalities[0] ?? ''
    const panes = savedPanes(
      board,
      hangingSeriesIn(images),
      (at) => engine.pane(paneIdOf(at)).state().index,
    )
    const words = (description ?? '')
      .replace(new RegExp(`^${modality}\\b`, 'i'), '')
      .trim()
      .slice(0, 40)
    return {
      protocolId: randomId(),
      name: (description || modality || t('ui.viewer.layouts.unnamed')).slice(0, 60),
      modality,
      words: words === '' ? [] : [words],
      prior: panes.some((pane) => pane?.from === 'prior') ? 'with' : 'any',
      leastSeries: 0,
      mostSeries: null,
      rows: board.rows,
      columns: board.columns,
      panes: [...panes],
      isPlanes: planesOf !== null,
    }
  }
}

/** The conditions of a protocol, in one phrase. */
function ruleText({ modality, words, prior, leastSeries, mostSeries }: HangingProtocol): string {
  const series =
    mostSeries !== null
      ? t('ui.viewer.layouts.seriesBetween', { least: leastSeries, most: mostSeries })
      : leastSeries > 0
        ? t('ui.viewer.layouts.seriesFrom', { least: leastSeries })
        : ''
  return [
    modality || t('ui.viewer.layouts.anyModality'),
    words.join(', '),
    prior === 'any' ? '' : t(`ui.viewer.layouts.priors.${prior}`),
    series,
  ]
    .filter(Boolean)
    .join(' · ')
}

function SavedLayouts(props: {
  protocol: HangingProtocol
  isBusy: boolean
  onEdit: () => void
  onUp: (() => void) | undefined
  onDelete: () => void
}) {
  const { protocol, isBusy, onEdit, onUp, onDelete } = props
  const { name, rows, columns, isPlanes } = protocol
  const { viewerStore } = useViewerContext()
  const images = useImages()
  const isApplied = useViewerState(
    (state) => state.hungBy?.isOwn === true && state.hungBy.name === name,
  )
  const apply = () => {
    const { board, planesOf } = applyHangingProtocol(protocol, { series: hangingSeriesIn(images) })
    viewerStore.hang(() => board)
    viewerStore.set({ planesOf, hungBy: { name, isOwn: true } })
  }
  return (
    <li className={css.item}>
      <div className={css.body}>
        <p>
          <strong>{name}</strong>
        </p>
        <p className={css.quiet}>{ruleText(protocol)}</p>
        <p className={css.quiet}>
          {isPlanes
            ? t('ui.viewer.commands.planes')
            : t('ui.viewer.toolbar.layoutOf', { rows, columns })}
          {isApplied && ` · ${t('ui.viewer.layouts.isApplied')}`}
        </p>
      </div>
      <Button size="compact-sm" variant="default" onClick={apply}>
        {t('ui.viewer.layouts.apply')}
      </Button>
      <Tooltip label={t('ui.viewer.layouts.edit', { name })}>
        <ActionIcon aria-label={t('ui.viewer.layouts.edit', { name })} onClick={onEdit}>
          <IconPencil size={16} />
        </ActionIcon>
      </Tooltip>
      {onUp && (
        <Tooltip label={t('ui.viewer.layouts.up', { name })}>
          <ActionIcon
            aria-label={t('ui.viewer.layouts.up', { name })}
            disabled={isBusy}
            onClick={onUp}
          >
            <IconArrowUp size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={t('ui.viewer.layouts.delete', { name })}>
        <ActionIcon
          aria-label={t('ui.viewer.layouts.delete', { name })}
          disabled={isBusy}
          onClick={onDelete}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}

/** How this study is hung without a layout of the person. */
function BuiltInLayoutNote() {
  const { viewerStore } = useViewerContext()
  const images = useImages()
  const study = currentStudy(images)
  const series = hangingSeriesIn(images)
  const hasPrior = series.some(({ isPrior }) => isPrior)
  const hanging = study && builtInHanging({ study, series, hasPrior })
  if (!hanging) return null
  const name = t('ui.viewer.layouts.builtIn', { modality: study.modalities[0] ?? '' })
  const { rows, columns } = hanging.board
  return (
    <section aria-label={t('ui.viewer.layouts.defaults')}>
      <h3>{t('ui.viewer.layouts.defaults')}</h3>
      <ul className={css.list}>
        <li className={css.item}>
          <div className={css.body}>
            <p>
              <strong>{name}</strong>
            </p>
            <p className={css.quiet}>{t('ui.viewer.toolbar.layoutOf', { rows, columns })}</p>
          </div>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              viewerStore.hang(() => hanging.board)
              viewerStore.set({ planesOf: null, hungBy: { name, isOwn: false } })
            }}
          >
            {t('ui.viewer.layouts.apply')}
          </Button>
        </li>
      </ul>
    </section>
  )
}
