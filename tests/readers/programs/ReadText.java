// Read FIDE's combined text, or its text of before 2012, by the places of its columns; every figure must be a number.
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class ReadText {
    static final int[] WIDTHS = {15, 61, 4, 4, 5, 5, 15, 4, 6, 4, 3, 6, 4, 3, 6, 4, 3, 6, 4};
    static final String[] NAMES = ("fideid name country sex title w_title o_title foa_title rating games k rapid_rating "
        + "rapid_games rapid_k blitz_rating blitz_games blitz_k birthday flag").split(" ");
    static final int[] OLDER_WIDTHS = {10, 34, 4, 5, 6, 5, 6, 4};
    static final String[] OLDER_NAMES = "fideid name title country rating games birthday flag".split(" ");

    public static void main(String[] arguments) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(arguments[0]), StandardCharsets.US_ASCII);
        boolean older = lines.get(0).contains("TitlFed");
        int[] widths = older ? OLDER_WIDTHS : WIDTHS;
        String[] names = older ? OLDER_NAMES : NAMES;
        List<String> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            List<String> fields = new ArrayList<>();
            int start = 0;
            for (int at = 0; at < names.length; at++) {
                String text = line.substring(start, start + widths[at]).strip();
                start += widths[at];
                boolean figure = names[at].matches("fideid|k|.*rating|.*games|.*_k") || (!older && names[at].equals("birthday"));
                String value = figure ? Long.toString(Long.parseLong(text)) : text.replace("\\", "\\\\").replace("\"", "\\\"");
                fields.add("\"" + names[at] + "\":\"" + value + "\"");
            }
            rows.add("{" + String.join(",", fields) + "}");
        }
        System.out.println("[" + String.join(",\n", rows) + "]");
    }
}
