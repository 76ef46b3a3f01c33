import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Estudios anteriores',
  about:
    'Pregunta a otro sistema por los estudios anteriores de un paciente y pide que los envíe aquí. Allí no cambia nada.',
  backToStudy: 'Volver al estudio',
  back: 'Todos los destinos',
  none: 'No hay destino al que preguntar',
  noneText:
    'De ninguno de los destinos encendidos se pueden traer estudios anteriores. Un administrador lo activa en el formulario del destino.',
  form: {
    destination: 'Preguntar a',
    patientId: 'ID del paciente',
    patientName: 'Nombre del paciente',
    nameExample: 'Berg, o Ber*',
    accessionNumber: 'Número de acceso',
    from: 'Desde',
    to: 'Hasta',
    find: 'Buscar',
    oneOf: 'Introduzca un ID de paciente, un nombre o un número de acceso.',
    idsDiffer:
      'El ID del paciente no es el mismo en todos los sistemas: compare nombre y fecha de nacimiento antes de traerlo.',
  },
  before: '¿Estudios anteriores de quién?',
  beforeText:
    'Introduzca un ID de paciente, un nombre o un número de acceso y pulse Buscar. Lo que tiene el otro sistema aparece aquí; no se trae nada hasta que se pida.',
  results: 'Encontrados',
  found: (studies, took) => `${countText(studies, 'estudio', 'estudios')} en ${took}`,
  nothing: 'No se encontró nada',
  nothingText:
    'El otro sistema puede conocer al paciente por otro número. Pruebe con el nombre, o con menos campos.',
  label: 'Estudios que tiene el otro sistema',
  columns: {
    patient: 'Paciente',
    date: 'Fecha',
    exam: 'Exploración',
    images: 'Imágenes',
    here: 'Aquí',
  },
  otherPatient: 'Otro ID de paciente',
  otherPatientMeaning:
    'El estudio del que viene tiene otro ID de paciente. Compare nombre y fecha de nacimiento antes de traerlo.',
  born: 'nac.',
  hereAll: 'todas aquí',
  hereSome: (here) => `${here} aquí`,
  fetch: 'Traer',
  fetchAgain: 'Traer de nuevo',
  open: 'Abrir el estudio',
  pulls: 'Traídos últimamente',
  pullsNone: 'No se ha traído nada desde que se inició la pasarela.',
  from: (name) => `de ${name}`,
  progress: (done, all) => `${done} de ${all} imágenes`,
  failedImages: (count) => `${count} no se pudieron enviar`,
  caller: 'Entretanto llamó un sistema desconocido y se rechazó. Si es este, admítalo en',
  devices: 'Dispositivos',
  states: { running: { name: 'En camino' }, done: { name: 'Aquí' }, failed: { name: 'Falló' } },
}
