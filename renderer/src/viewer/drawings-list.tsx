import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { useActivePaneId, useBench, useImages } from './desk-context.ts'
import { type Drawing, drawingOf } from './drawing.ts'
import { idOf } from './drawings-merge.ts'
import { TOOL_ICONS } from './icons.ts'
import { nameOf } from './overlay-text.ts'
import { foundImage, showInstance } from './show-instance.ts'
import css from './side.module.css'
import { words } from './words.ts'

const { drawings: texts } = words

/** What is drawn on the studies that are open: to go to, and to remove. */
export function DrawingsList() {
  const { drawings, engine, measured } = useBench()
  const paneId = useActivePaneId()
  const { studies } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const lines = measured()
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
      <p className={css.about}>{known.length === 0 ? texts.none : texts.about}</p>
      {isFailed && (
        <Button size="compact-sm" mb="sm" onClick={() => drawings.flush()}>
          {texts.retry}
        </Button>
      )}
      <ul className={css.list}>
        {known.map(({ studyUid, drawing }) => (
          <Item
            key={drawing.id}
            studyUid={studyUid}
            drawing={drawing}
            lines={lines.get(drawing.id) ?? []}
          />
        ))}
      </ul>
      {known.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => engine.clearDrawings(paneId)}>
          {texts.clear}
        </Button>
      )}
    </>
  )
}

function Item({
  studyUid,
  drawing,
  lines,
}: {
  studyUid: string
  drawing: Drawing
  lines: readonly string[]
}) {
  const bench = useBench()
  const images = useImages()
  const { tool, text, sopInstanceUid, frame, id } = drawing
  const found = foundImage(images, sopInstanceUid, frame)
  const Shape = TOOL_ICONS[tool]
  const name = text || words.tools[tool]
  const where = found
    ? texts.where(nameOf(found.series), found.index + 1)
    : sopInstanceUid === ''
      ? texts.inPlane
      : texts.gone
  const remove = () => {
    const drawn = bench.engine.annotations(studyUid).filter((one) => idOf(one) !== id)
    bench.drawings.replace(studyUid, drawn)
  }
  return (
    <li className={css.item}>
      <Shape size={18} stroke={1.7} aria-hidden />
      <div className={css.body}>
        {found ? (
          <button
            type="button"
            className={css.link}
            aria-label={texts.goTo(`${name}, ${where}`)}
            onClick={() => showInstance(bench, sopInstanceUid, frame)}
          >
            {name}
          </button>
        ) : (
          name
        )}
        {lines.length > 0 && <p className={css.values}>{lines.join('\n')}</p>}
        <p className={css.quiet}>{where}</p>
      </div>
      <Tooltip label={texts.remove(name)}>
        <ActionIcon size="md" aria-label={texts.remove(`${name}, ${where}`)} onClick={remove}>
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}
