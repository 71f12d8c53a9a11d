import type { FieldRule } from '../core/check-fields.js';

const text: FieldRule = { type: 'string' };
const flag: FieldRule = { type: 'boolean' };
const whole: FieldRule = { type: 'integer' };
const decimal: FieldRule = { type: 'number' };

const RATIOS = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '16:9',
  '21:9',
  '1:4',
  '4:1',
  '1:8',
  '8:1',
];
const CATEGORIES = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'];

const part: FieldRule = {
  type: 'object',
  fields: {
    text,
    inlineData: {
      type: 'object',
      fields: { mimeType: { ...text, required: true }, data: { ...text, required: true } },
    },
    fileData: { type: 'object', fields: { mimeType: text, fileUri: { ...text, required: true } } },
  },
};

const content: FieldRule = {
  type: 'object',
  fields: {
    role: { ...text, allowed: ['user', 'model'] },
    parts: { type: 'array', required: true, min: 1, items: part },
  },
};

/** The request of `generateContent` as far as it is documented for images on the Gemini API (`@google/genai` 2.32.0). */
export const GENERATE_FIELDS: Readonly<Record<string, FieldRule>> = {
  contents: { type: 'array', required: true, min: 1, items: content },
  systemInstruction: content,
  safetySettings: {
    type: 'array',
    items: {
      type: 'object',
      fields: {
        category: { ...text, required: true, allowed: CATEGORIES.map((name) => `HARM_CATEGORY_${name}`) },
        threshold: {
          ...text,
          required: true,
          allowed: ['BLOCK_NONE', 'BLOCK_ONLY_HIGH', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_LOW_AND_ABOVE', 'OFF'],
        },
      },
    },
  },
  tools: { type: 'array' },
  generationConfig: {
    type: 'object',
    fields: {
      candidateCount: whole,
      seed: whole,
      temperature: decimal,
      topP: decimal,
      topK: decimal,
      maxOutputTokens: whole,
      stopSequences: { type: 'array', items: text },
      responseModalities: { type: 'array', items: { ...text, allowed: ['TEXT', 'IMAGE'] } },
      thinkingConfig: {
        type: 'object',
        fields: {
          includeThoughts: flag,
          thinkingBudget: whole,
          thinkingLevel: { ...text, allowed: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
        },
      },
      imageConfig: {
        type: 'object',
        fields: {
          aspectRatio: { ...text, allowed: RATIOS },
          imageSize: { ...text, allowed: ['512', '1K', '2K', '4K'] },
        },
      },
    },
  },
};
