// The makers' own clients, one call each: what they send is what the gateway's requests are compared with.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** By the folder they are installed in, the address of the simulator, and a recording. */
export async function makersCalls(cache, url, wav) {
  const { resolve } = createRequire(join(cache, 'package.json'));
  const load = (name) => import(pathToFileURL(resolve(name)).href);
  const file = () => new File([wav], 'audio.wav', { type: 'audio/wav' });
  const typed = { data: wav, contentType: 'audio/wav', filename: 'audio.wav' };
  const key = 'a-key';

  const { ElevenLabsClient } = await load('@elevenlabs/elevenlabs-js');
  const eleven = new ElevenLabsClient({ apiKey: key, baseUrl: `${url}/elevenlabs` });
  const { DeepgramClient } = await load('@deepgram/sdk');
  const base = `${url}/deepgram`;
  const deepgram = new DeepgramClient({
    apiKey: key,
    baseUrl: base,
    environment: { base, production: base, agent: base, agentRest: base },
  });
  const { Mistral } = await load('@mistralai/mistralai');
  const mistral = new Mistral({ apiKey: key, serverURL: `${url}/mistral` });
  const { default: Cartesia } = await load('@cartesia/cartesia-js');
  const cartesia = new Cartesia({ apiKey: key, baseURL: `${url}/cartesia` });
  const { GoogleGenAI } = await load('@google/genai');
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${url}/google`, apiVersion: 'v1beta' } });

  const { AssemblyAI } = await load('assemblyai');
  const assembly = new AssemblyAI({ apiKey: key, baseUrl: `${url}/assemblyai` });
  const { default: Groq } = await load('groq-sdk');
  // It begins its paths with what belongs to the address at other makers.
  const groq = new Groq({
    apiKey: key,
    baseURL: `${url}/compatible`,
    fetch: (address, init) => fetch(String(address).replace('/openai/v1/', '/v1/'), init),
  });

  return {
    'elevenlabs speech': () =>
      eleven.textToSpeech.stream('JBFqnCBsd6RMkjVDRZzb', {
        text: 'Good morning.',
        modelId: 'eleven_multilingual_v2',
        outputFormat: 'mp3_44100_128',
        voiceSettings: { speed: 1.1 },
      }),
    'elevenlabs transcription': () =>
      eleven.speechToText.convert({
        file: file(),
        modelId: 'scribe_v2',
        languageCode: 'en',
        diarize: true,
        tagAudioEvents: false,
        timestampsGranularity: 'word',
      }),
    'deepgram speech': () =>
      deepgram.speak.v1.audio.generate({
        text: 'Good morning.',
        model: 'aura-2-thalia-en',
        encoding: 'mp3',
        speed: 1.1,
      }),
    'deepgram transcription': () =>
      deepgram.listen.v1.media.transcribeFile(typed, {
        model: 'nova-3',
        smart_format: true,
        language: 'en',
        diarize: true,
      }),
    'mistral speech': () =>
      mistral.audio.speech.complete(
        {
          model: 'voxtral-mini-tts-3-0',
          input: 'Good morning.',
          voiceId: 'voice_478',
          responseFormat: 'mp3',
          stream: true,
        },
        { acceptHeaderOverride: 'text/event-stream' },
      ),
    'mistral transcription': () =>
      mistral.audio.transcriptions.complete({
        model: 'voxtral-mini-latest',
        file: file(),
        diarize: true,
        timestampGranularities: ['segment'],
      }),
    'cartesia speech': () =>
      cartesia.tts.generate({
        model_id: 'sonic-3',
        transcript: 'Good morning.',
        voice: { id: '6ccbfb76-1fc6-48f7-b71d-91ac6298247b' },
        output_format: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
        generation_config: { speed: 1.1 },
      }),
    'cartesia transcription': () =>
      cartesia.stt.transcribe({
        file: file(),
        model: 'ink-whisper',
        language: 'en',
        timestamp_granularities: ['word'],
      }),
    'assemblyai transcription': () =>
      assembly.transcripts.transcribe(
        { audio: wav, speech_models: ['universal-2'], language_code: 'en', speaker_labels: true },
        { pollingInterval: 50 },
      ),
    'groq speech': () =>
      groq.audio.speech.create({
        model: 'playai-tts',
        input: 'Good morning.',
        voice: 'Fritz-PlayAI',
        response_format: 'wav',
        speed: 1.1,
      }),
    'groq transcription': () =>
      groq.audio.transcriptions.create({
        file: file(),
        model: 'whisper-large-v3-turbo',
        language: 'en',
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      }),
    'groq translation': () =>
      groq.audio.translations.create({ file: file(), model: 'whisper-large-v3', response_format: 'verbose_json' }),
    'google speech': () =>
      google.models.generateContentStream({
        model: 'gemini-2.5-flash-preview-tts',
        contents: 'Good morning.',
        config: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      }),
    'google transcription': () =>
      google.models.generateContent({
        model: 'gemini-3.5-transcribe',
        contents: [
          {
            role: 'user',
            parts: [
              { inlineData: { mimeType: 'audio/wav', data: wav.toString('base64') } },
              { text: 'Write down every word that is said in this recording, and nothing else.' },
            ],
          },
        ],
      }),
  };
}
