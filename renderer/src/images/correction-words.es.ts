import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './correction-words.en.ts'

const images = (count: number) => countText(count, 'imagen', 'imágenes')
const moved = (count: number) =>
  count === 1
    ? 'Se trasladó 1 imagen a este estudio.'
    : `Se trasladaron ${images(count)} a este estudio.`
const moves = (count: number) =>
  count === 1 ? 'Se traslada 1 imagen' : `Se trasladan ${images(count)}`
const move = (count: number) => `Trasladar ${images(count)}`

export const es: Translated<English> = {
  menu: 'Corregir la identidad',
  title: 'Corregir la identidad de las imágenes',
  about:
    'Las imágenes originales siempre se conservan. Una corrección se puede deshacer hasta que se firme un informe con las imágenes corregidas.',
  back: 'Volver al estudio',
  step: (number) => `Paso ${number}`,
  change: 'Cambiar',
  changeStep: (step) => `Cambiar: ${step}`,
  next: 'Continuar',
  count: images,
  missing: '(vacío)',
  nothingToCorrect: 'No hay ninguna imagen en este estudio',
  nothingToCorrectText:
    'Puede que se hayan trasladado a otro estudio. Las correcciones figuran en la página del estudio.',

  now: {
    title: 'Qué dicen ahora las imágenes',
    differs: 'Qué difiere',
    more: (count) => `y ${countText(count, 'paciente más', 'pacientes más')}`,
  },

  kinds: {
    title: '¿Qué está mal?',
    ways: {
      reassign: {
        name: 'Estas imágenes son de otra petición u otro paciente',
        about:
          'Se hicieron con la entrada equivocada de la lista de trabajo. Todas pasan a la petición, el estudio o el paciente que corresponde.',
      },
      split: {
        name: 'Algunas de estas imágenes son de otro paciente u otra exploración',
        about:
          'Usted elige cuáles. Pasan a la petición, el estudio o el paciente que corresponde; las demás se quedan en este estudio.',
      },
      correct: {
        name: 'Los datos del paciente son incorrectos',
        about:
          'El paciente y la exploración son los correctos, pero el nombre, el ID, la fecha de nacimiento, el sexo o el número de acceso está mal o falta.',
      },
      merge: {
        name: 'Estas imágenes son de otro estudio de este paciente',
        about: 'Una exploración llegó como dos estudios. Todas las imágenes pasan al otro estudio.',
      },
    },
    several: (patients) =>
      `Las imágenes de este estudio nombran a ${countText(patients, 'paciente')}.`,
  },

  images: {
    title: '¿Qué imágenes no son de aquí?',
    about:
      'Las imágenes se agrupan por el paciente que nombran. Elija las que no son de este estudio.',
    choosePatient: (count) =>
      count === 1 ? 'La imagen de este paciente' : `Las ${images(count)} de este paciente`,
    noDescription: '(sin descripción)',
    chosen: (chosen, all) =>
      chosen === 1 ? `1 imagen elegida de ${all}` : `${images(chosen)} elegidas de ${all}`,
    stay: (count) => (count === 1 ? 'se queda 1 imagen' : `se quedan ${images(count)}`),
    all: 'No quedaría ninguna imagen. Para trasladarlas todas, vuelva al paso 1 y elija «Estas imágenes son de otra petición u otro paciente».',
    some: 'Solo algunas',
    numbers: 'Números de imagen',
    numbersAbout: (least, most) =>
      `Instance Number, como lo muestra el dispositivo, del ${least} al ${most}. El visor cuenta posiciones, que pueden diferir.`,
    numbersExample: 'p. ej. 1-20, 35',
    noSuchNumbers: 'Ninguna imagen tiene uno de estos números',
  },

  target: {
    titles: {
      reassign: '¿De quién son las imágenes?',
      split: '¿De quién son las imágenes elegidas?',
      correct: '¿Cuáles son los datos correctos?',
      merge: '¿De qué estudio son las imágenes?',
    },
    how: 'Cómo elegir',
    list: 'Elegir una petición o un estudio',
    typed: 'Introducir el paciente',
    search: 'Buscar',
    searchWhat: 'Nombre, ID del paciente, n.º de acceso o descripción',
    similar: 'Los más parecidos primero.',
    label: 'Peticiones y estudios',
    order: 'Petición de la lista de trabajo',
    study: (count) => (count === 0 ? 'Estudio sin imágenes' : `Estudio con ${images(count)}`),
    none: 'No coincide ninguna petición ni ningún estudio',
    noneText: 'Busque otro nombre o número, o introduzca el paciente.',
    noneMergeText: 'Busque otro nombre o número.',
    noDate: 'sin fecha',
    accession: (number) => `N.º acc. ${number}`,
    newStudy: 'Se crea para ellas un estudio nuevo de este paciente.',
    typedAbout:
      'Tome los datos de la petición o de un documento de identidad. El valor de un campo vacío se elimina de las imágenes.',
    prefilled:
      'Los campos se han rellenado con los datos de la lista de trabajo o del estudio. Compruébelos con la petición o con un documento de identidad.',
    says: (values) => `Imágenes: ${values}`,
    familyName: 'Apellidos',
    givenName: 'Nombre',
    middleName: 'Segundo nombre',
    prefix: 'Tratamiento',
    suffix: 'Sufijo',
    ideographic: 'Nombre en caracteres ideográficos',
    phonetic: 'Nombre fonético',
    caret: 'Apellidos y nombre con ^ entre ellos.',
    moreName: 'Más partes del nombre',
    patientId: 'ID del paciente',
    born: 'Fecha de nacimiento',
    sex: 'Sexo',
    noSex: 'sin indicar',
    accessionNumber: 'Número de acceso',
    nameNeeded: 'Escriba los apellidos',
    noSigns: 'Quite ^, = y \\',
  },

  check: {
    title: 'Comprobar y aplicar',
    loading: 'Se determina qué cambiaría',
    field: 'Campo',
    before: 'Ahora',
    after: 'Después de la corrección',
    changed: 'cambia',
    newUid: '(nuevo; se asigna al aplicar)',
    happens: 'Qué ocurre',
    moves: {
      correct: (count) =>
        count === 1
          ? 'Se corrige 1 imagen en este estudio'
          : `Se corrigen ${images(count)} en este estudio`,
      reassign: moves,
      split: moves,
      merge: moves,
    },
    stays: (count) =>
      count === 0
        ? 'Aquí no se queda ninguna imagen'
        : count === 1
          ? 'Aquí se queda 1 imagen'
          : `Aquí se quedan ${images(count)}`,
    originals: 'Originales',
    originalsText: 'Se conservan, pero ya no se muestran ni se envían.',
    destinations: 'Destinos',
    destinationsText: (names) =>
      `${names}: se envía una nota de rechazo de los originales y después las imágenes corregidas.`,
    noDestinations: 'Ningún otro sistema tiene copias.',
    reports: 'Informes firmados',
    reportsText: (count) =>
      count === 1
        ? '1 informe firmado queda sin cambios y necesita una adenda. Hay que informar a todos los que lo recibieron.'
        : `${count} informes firmados quedan sin cambios y cada uno necesita una adenda. Hay que informar a todos los que los recibieron.`,
    noReports: 'No se firmó ningún informe con estas imágenes.',
    warning: 'Compruebe esto antes de aplicarla',
    obstacle: 'Esto no se puede hacer',
    changedSince: 'Algo ha cambiado entretanto',
    changedSinceText:
      'No se aplicó nada. Compruebe la corrección actualizada y aplíquela de nuevo.',
    cause: 'Causa',
    causeAbout: 'Se envía a los archivos como motivo por el que se rechazan los originales.',
    causeNeeded: 'Elija la causa',
    causes: {
      'wrong-worklist-entry': {
        name: 'Entrada equivocada de la lista de trabajo',
        about:
          'En la consola se seleccionó otra petición u otro paciente, o sus datos eran incorrectos.',
      },
      'patient-safety': {
        name: 'Riesgo para un paciente',
        about:
          'Es posible que un paciente haya recibido o reciba un tratamiento basado en estas imágenes.',
      },
    },
    reason: 'Motivo',
    reasonAbout: 'Qué ocurrió y cómo sabe qué es lo correcto. Queda en el registro de auditoría.',
    reasonExample: 'p. ej. se seleccionó al paciente anterior en la consola; pulsera comprobada',
    cancel: 'Cancelar',
    apply: {
      correct: (count) => `Corregir ${images(count)}`,
      reassign: move,
      split: move,
      merge: move,
    },
  },

  done: {
    correct: (count) =>
      count === 1 ? 'Se corrigió 1 imagen.' : `Se corrigieron ${images(count)}.`,
    reassign: moved,
    split: moved,
    merge: moved,
  },

  history: {
    title: 'Correcciones de identidad',
    kinds: { correct: 'Datos corregidos', reassign: 'Traslado', split: 'División', merge: 'Unión' },
    here: {
      correct: (count) => `${images(count)} en este estudio`,
      from: (count) => `${images(count)} de este estudio al`,
      to: (count) => `${images(count)} a este estudio desde el`,
    },
    otherStudy: (end) => `estudio …${end}`,
    by: 'Por',
    cause: 'Causa',
    reason: 'Motivo',
    changes: 'Qué cambió',
    changesAfter: 'Qué cambia',
    before: 'Antes',
    after: 'Después',
    underWay: 'En curso',
    underWayText:
      'Se están copiando las imágenes. Hasta que termine no cambia nada. Puede salir de esta página.',
    failed: 'La corrección falló',
    failedText: 'No se cambió nada. Repita la corrección.',
    undone: 'Deshecha',
    undoneBy: 'Deshecha por',
    undoneReason: 'Motivo para deshacerla',
    noUndo: 'No se puede deshacer',
    undo: 'Deshacer',
    undoAsk: {
      title: '¿Deshacer esta corrección?',
      action: 'Deshacer',
      label: 'Motivo',
      about: 'Queda en el registro de auditoría.',
      example: 'p. ej. la primera petición era la correcta',
    },
    undoText: (count) =>
      count === 1
        ? 'La imagen vuelve a su estudio con los datos de paciente y exploración que tenía antes.'
        : `Las ${images(count)} vuelven a su estudio con los datos de paciente y exploración que tenían antes.`,
    undoDone: 'La corrección se deshizo.',
  },
}
