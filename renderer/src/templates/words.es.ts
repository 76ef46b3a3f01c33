import { countText, numberText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Plantillas',
  about:
    'Una plantilla da comienzo a un informe; una macro se inserta donde está el cursor. Ambas se ofrecen cuando todo lo indicado corresponde al estudio.',
  add: 'Añadir plantilla',
  none: 'Todavía no hay plantillas',
  noneText:
    'Cree una con el texto que más escribe. Campos como [tamaño] o {izquierdo|derecho} se rellenan con F2.',
  kinds: { template: 'Plantilla', macro: 'Macro' },
  shows: { all: 'Todas', template: 'Plantillas', macro: 'Macros' },
  showLabel: 'Cuáles',
  columns: {
    name: 'Nombre',
    shortcut: 'Abreviatura',
    scope: 'Se ofrece para',
    owner: 'De',
    changed: 'Modificada',
    actions: 'Acciones',
  },
  everybody: 'Todos',
  mine: 'Mía',
  anyStudy: 'cualquier estudio',
  edit: (name) => `Editar ${name}`,
  copy: (name) => `Copiar ${name} a las mías`,
  remove: (name) => `Eliminar ${name}`,
  removeTitle: '¿Eliminar esta plantilla?',
  removeAction: 'Eliminarla',
  removeText: (name) =>
    `«${name}» ya no se ofrece a nadie. Los informes escritos con ella quedan como están.`,
  sexes: { male: 'hombres', female: 'mujeres', other: 'otro sexo' },
  ages: (from, to) =>
    from !== null && to !== null
      ? `de ${from} a ${to} años`
      : from !== null
        ? `desde ${from} años`
        : `hasta ${to} años`,
  quoted: (word) => `«${word}»`,
  removed: (name) => `Se eliminó «${name}».`,
  saved: (name) => `«${name}» está guardada.`,
  exporting: {
    button: 'Exportar',
    mine: 'Todas las mías',
    everybody: 'Las de todos',
  },
  importing: {
    button: 'Importar',
    title: 'Importar plantillas y macros',
    for: 'Para quién son',
    forMine: 'Para mí',
    forEverybody: 'Para todos',
    becomeMine: 'Pasan a ser suyas. Para todos las importa un propietario o administrador.',
    takeAll: (count) =>
      count === 1 ? 'Tomar la que choca' : `Tomar las ${numberText(count)} que chocan`,
    columns: { name: 'En el archivo', standing: 'Comparada con lo que hay', choice: 'Qué se hace' },
    standings: {
      new: 'Nueva',
      same: 'Ya está',
      name: 'Nombre ocupado',
      shortcut: 'Abreviatura ocupada',
      both: 'Nombre y abreviatura ocupados',
      repeated: 'Dos veces en el archivo',
      faulty: 'No se puede tomar',
    },
    meanings: {
      new: 'Nada de lo que hay tiene su nombre ni su abreviatura.',
      same: 'La que tiene este nombre dice lo mismo.',
      name: 'Otro texto tiene este nombre. Sustituirlo no se puede deshacer.',
      shortcut: 'Otra tiene esta abreviatura. Se puede añadir sin ella.',
      both: 'Una tiene el nombre y otra la abreviatura. La sustituida conserva su propia abreviatura.',
      repeated: 'Una entrada anterior del archivo tiene el mismo nombre o abreviatura.',
      faulty: 'Algo en ella no es como esta pasarela lo necesita.',
    },
    choices: {
      add: 'Añadir',
      replace: 'Sustituir la que hay',
      plain: 'Añadir sin la abreviatura',
      leave: 'Omitir',
    },
    choiceOf: (name) => `Qué se hace con ${name}`,
    entry: (at) => `Entrada ${at}`,
    summary: (added, replaced, left) =>
      `${countText(added, 'añadida', 'añadidas')}, ${countText(replaced, 'sustituida', 'sustituidas')}, ${countText(left, 'omitida', 'omitidas')}`,
    progress: (done, all) => `${numberText(done)} de ${numberText(all)}`,
    action: (count) => `Importar ${numberText(count)}`,
    done: (count) => `${countText(count, 'entrada importada', 'entradas importadas')}.`,
    kept: 'Importada',
    notKept: 'No importada',
    cancel: 'Cancelar',
    close: 'Listo',
    faults: {
      unreadable: 'No se pudo leer el archivo. Elíjalo de nuevo.',
      tooBig: 'El archivo supera los 20 MB, más de lo que necesitan 500 plantillas.',
      notJson: 'El archivo no es JSON. Elija uno exportado aquí.',
      notOurs:
        'El archivo no contiene plantillas de esta pasarela. Elija uno exportado en esta pantalla.',
      empty: 'El archivo no contiene ninguna plantilla.',
      tooMany: 'El archivo contiene más de 500 plantillas. Divídalo.',
    },
  },
  form: {
    addTitle: 'Nueva plantilla',
    what: 'Qué se inserta',
    kind: 'Tipo',
    for: 'Para',
    forMine: 'Mí',
    forEverybody: 'Todos',
    name: ['Nombre', 'Como se ofrece.'],
    shortcut: ['Abreviatura', 'Se escribe y después Tab: letras, cifras, _ . o -.'],
    scope: 'Se ofrece para',
    scopeAbout:
      'Lo que se deja vacío corresponde a cualquier estudio. Cuanto más coincide, más arriba se ofrece.',
    modalities: ['Modalidades', 'p. ej. CT, MR; Intro tras cada una.'],
    keywords: ['Palabras de la descripción', 'Cualquiera de ellas; Intro tras cada una.'],
    sex: ['Sexo', 'Del paciente.'],
    anySex: 'cualquiera',
    ageFrom: ['Desde la edad', 'Años, incluidos.'],
    ageTo: ['Hasta la edad', 'Años, incluidos.'],
    text: [
      'Texto',
      'Campos: [tamaño], [ ], {izquierdo|derecho}. Variables: {patientName} {age} {sex} {scanDate} {indication} {comparison} {referringPhysician}.',
    ],
    preview: 'Como se ve en un informe',
    previewNone: 'El texto aparece aquí mientras lo escribe.',
    save: 'Guardar',
    add: 'Añadir',
    cancel: 'Cancelar',
  },
  example: {
    patientName: 'EJEMPLO, Elena',
    age: '54 años',
    sex: 'femenino',
    scanDate: '20 nov 2026',
    indication: 'Tos desde hace tres semanas',
    comparison: 'TC de tórax del 12 mar 2025',
    referringPhysician: 'Dr. Adeyemi',
  },
}
