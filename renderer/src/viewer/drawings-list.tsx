import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { t } from '../i18n/t.ts'
import { type Drawing, drawingOf } from './drawing.ts'
import { idOf } from './drawings-merge.ts'
import { TOOL_ICONS } from './icons.ts'
import { KeyImageList } from './key-image-list.tsx'
import { nameOf } from './overlay-text.ts'
import { SaveToStudyPanel } from './save-to-study.tsx'
import { foundImage, showInstance } from './show-instance.ts'
import css from './side.module.css'
import { useActivePaneId, useImages, useViewerContext } from './viewer-context.ts'

/** What is drawn on the studies that are open: to go to, and to remove. */
export function DrawingsList() {
  const { drawings, engine, measured } = useViewerContext()
  const paneId = useActivePaneId()
  const { studies } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const lines = measured()
  const unsaved = new Set([...studies.keys()].flatMap((studyUid) => drawings.unsavedIds(studyUid)))
  const all = [...studies].flatMap(([studyUid, kept]) =>
    kept.drawings.map((one) => ({ studyUid, drawing: drawingOf(one) })),
  )
  const isFailed = [...studies.values()].some(
    ({ state }) => state === 'failing' || state === 'refused',
  )
  const known = all.filter(
    (one): one is { studyUid: string; drawing: Drawing } => one.drawing !== undefined,
  )
  return (
    <>
      <SaveToStudyPanel />
      {isFailed && (
        <Button size="compact-sm" mb="sm" onClick={() => drawings.flush()}>
          {t('ui.viewer.drawings.retry')}
        </Button>
      )}
      <KeyImageList />
      <h3 className={css.heading}>{t('ui.viewer.drawings.listTitle')}</h3>
      {known.length === 0 && <p className={css.about}>{t('ui.viewer.drawings.none')}</p>}
      <ul className={css.list}>
        {known.map(({ studyUid, drawing }) => (
          <Item
            key={drawing.id}
            studyUid={studyUid}
            drawing={drawing}
            lines={lines.get(drawing.id) ?? []}
            isUnsaved={unsaved.has(drawing.id)}
          />
        ))}
      </ul>
      {known.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => engine.clearDrawings(paneId)}>
          {t('ui.viewer.drawings.clear')}
        </Button>
      )}
    </>
  )
}

function Item({
  studyUid,
  drawing,
  lines,
  isUnsaved,
}: {
  studyUid: string
  drawing: Drawing
  lines: readonly string[]
  isUnsaved: boolean
}) {
  const viewerContext = useViewerContext()
  const images = useImages()
  const { tool, text, sopInstanceUid, frame, id } = drawing
  const found = foundImage(images, sopInstanceUid, frame)
  const Shape = TOOL_ICONS[tool]
  const name = text || t(`ui.viewer.tools.${tool}`)
  const where = found
    ? t('ui.viewer.drawings.where', { series: nameOf(found.series), number: found.index + 1 })
    : sopInstanceUid === ''
      ? t('ui.viewer.drawings.inPlane')
      : t('ui.viewer.drawings.gone')
  // In a view of a link, what is saved to the study stays.
  const isFixed =
    viewerContext.viewerStore.view.kind !== 'window' &&
    viewerContext.drawings.isInStudy(studyUid, id)
  const remove = () => {
    const drawn = viewerContext.engine.annotations(studyUid).filter((one) => idOf(one) !== id)
    viewerContext.drawings.replace(studyUid, drawn)
  }
  return (
    <li className={css.item}>
      <Shape size={18} stroke={1.7} aria-hidden />
      <div className={css.body}>
        {found ? (
          <button
            type="button"
            className={css.link}
            aria-label={t('ui.viewer.drawings.goTo', { what: `${name}, ${where}` })}
            onClick={() => showInstance(viewerContext, sopInstanceUid, frame)}
          >
            {name}
          </button>
        ) : (
          name
        )}
        {lines.length > 0 && <p className={css.values}>{lines.join('\n')}</p>}
        <p className={css.quiet}>{where}</p>
        {isUnsaved && <p className={css.unsaved}>{t('ui.viewer.drawings.study.notSaved')}</p>}
      </div>
      <Tooltip
        label={
          isFixed
            ? t('ui.viewer.drawings.study.fixed')
            : t('ui.viewer.drawings.remove', { what: name })
        }
      >
        <ActionIcon
          size="md"
          aria-label={t('ui.viewer.drawings.remove', { what: `${name}, ${where}` })}
          aria-disabled={isFixed || undefined}
          data-disabled={isFixed}
          onClick={() => !isFixed && remove()}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}
