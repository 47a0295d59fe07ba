/**
 * What the JSON parser of the JavaScript engine and the schema checker say about a line that is no record, in the forms
 * of `sentences`. They change with their versions: a test lets both speak and holds their words against these.
 */
export const parserSentences: readonly (readonly [english: string, chinese: string])[] = [
  // the JSON parser; newer ones add line and column after the position
  ['Unexpected end of JSON input', '内容不完整'],
  ['Unexpected token {}, {} is not valid JSON', '{1} 中有意外的字符 {0}'],
  ['Unexpected token {} in JSON at position {#}{}', '位置 {1} 有意外的字符 {0}'],
  ['Unexpected number in JSON at position {#}{}', '位置 {0} 有意外的数字'],
  ['Unexpected string in JSON at position {#}{}', '位置 {0} 有意外的字符串'],
  ['Unexpected non-whitespace character after JSON at position {#}{}', '位置 {0} 之后有多余的内容'],
  ["Expected property name or '}' in JSON at position {#}{}", '位置 {0} 应为属性名或“}”'],
  ['Expected double-quoted property name in JSON at position {#}{}', '位置 {0} 应为双引号括起的属性名'],
  ["Expected ':' after property name in JSON at position {#}{}", '位置 {0} 的属性名之后应为“:”'],
  ["Expected ',' or '}' after property value in JSON at position {#}{}", '位置 {0} 的属性值之后应为“,”或“}”'],
  ["Expected ',' or ']' after array element in JSON at position {#}{}", '位置 {0} 的数组元素之后应为“,”或“]”'],
  ['Unterminated string in JSON at position {#}{}', '字符串到位置 {0} 仍未结束'],
  ['Bad control character in string literal in JSON at position {#}{}', '位置 {0} 的字符串中有未转义的控制字符'],
  ['Bad escaped character in JSON at position {#}{}', '位置 {0} 的转义字符无效'],
  ['Bad Unicode escape in JSON at position {#}{}', '位置 {0} 的 Unicode 转义无效'],
  ['No number after minus sign in JSON at position {#}{}', '位置 {0} 的负号之后没有数字'],
  ['Unterminated fractional number in JSON at position {#}{}', '位置 {0} 的小数不完整'],
  ['Exponent part is missing a number in JSON at position {#}{}', '位置 {0} 的指数中没有数字'],
  ['{} is not valid JSON', '{0} 不是有效的 JSON'],

  // the schema checker
  ['Invalid input', '值不符合要求'],
  ['Invalid input: expected {}, received {}', '应为{0}，实际为{1}'],
  ['Invalid option: expected one of {}', '应为以下之一：{0}'],
  ['Too small: expected number to be >={#}', '不应小于 {0}'],
  ['Too big: expected {} to be <={#}', '不应大于 {1}'],
  ['Too small: expected array to have >={#} items', '至少应有 {0} 项'],
  ['Too big: expected array to have <={#} items', '至多应有 {0} 项'],
  ['number', '数字'],
  ['int', '整数'],
  ['string', '字符串'],
  ['boolean', '布尔值'],
  ['array', '数组'],
  ['object', '对象'],
  ['null', '空值'],
  ['undefined', '空缺'],
];
