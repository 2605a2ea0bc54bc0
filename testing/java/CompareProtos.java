package ydl.testing;

import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.DescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.EnumDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FieldDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FileDescriptorSet;

/**
 * Compares our .proto files with those of the Hadoop on the class path: {@code CompareProtos OURS.desc newest|older}, with a file of
 * protoc --descriptor_set_out.
 *
 * <p>Ours may leave out messages, optional fields and values. An older Hadoop may lack optional fields and values of ours, which it skips or never
 * sends. Prints one line per difference, then "checked N fields"; exits with 1 if there are any.
 */
public final class CompareProtos {
    private final HadoopProtos real;
    private final HadoopProtos ours = new HadoopProtos();
    private final boolean isOlder;
    private final List<String> differences = new ArrayList<>();
    private int fields;

    private CompareProtos(HadoopProtos real, boolean isOlder) {
        this.real = real;
        this.isOlder = isOlder;
    }

    public static void main(String[] args) throws Exception {
        CompareProtos comparison = new CompareProtos(HadoopProtos.ofClassPath(), args[1].equals("older"));
        try (FileInputStream file = new FileInputStream(args[0])) {
            FileDescriptorSet.parseFrom(file).getFileList().stream().filter(it -> it.getPackage().startsWith("hadoop.")).forEach(comparison.ours::add);
        }
        comparison.ours.messages.forEach(comparison::compareMessage);
        comparison.ours.enums.forEach(comparison::compareEnum);
        comparison.differences.stream().sorted().forEach(System.out::println);
        System.out.println("checked " + comparison.fields + " fields");
        System.exit(comparison.differences.isEmpty() ? 0 : 1);
    }

    private void compareMessage(String name, DescriptorProto our) {
        DescriptorProto their = real.messages.get(name);
        if (their == null) {
            differences.add(name + ": Hadoop has no such message");
            return;
        }
        Map<Integer, FieldDescriptorProto> byNumber = their.getFieldList().stream().collect(Collectors.toMap(FieldDescriptorProto::getNumber, it -> it));
        for (FieldDescriptorProto field : our.getFieldList()) {
            compareField(name, field, byNumber.remove(field.getNumber()));
        }
        byNumber.values().stream().filter(left -> left.getLabel() == Label.LABEL_REQUIRED)
                .forEach(left -> differences.add(name + ": lacks the required field " + describe(left)));
    }

    private void compareField(String message, FieldDescriptorProto our, FieldDescriptorProto their) {
        ++fields;
        if (their == null) {
            if (!isOlder || our.getLabel() == Label.LABEL_REQUIRED) {
                differences.add(message + "." + our.getName() + ": Hadoop has no field " + our.getNumber());
            }
        } else if (!describe(our).equals(describe(their))) {
            differences.add(message + "." + our.getName() + ": ours is `" + describe(our) + "`, Hadoop's is `" + describe(their) + "`");
        } else if (our.getLabel() == Label.LABEL_REQUIRED && our.getType() == Type.TYPE_ENUM) {
            requireAllValues(message + "." + our.getName(), our.getTypeName());
        }
    }

    /** A required field with a value we do not know would make the whole message unreadable. */
    private void requireAllValues(String field, String type) {
        Map<Integer, String> missing = valuesOf(real.enums.get(type));
        missing.keySet().removeAll(valuesOf(ours.enums.get(type)).keySet());
        if (!missing.isEmpty()) {
            differences.add(field + ": is required, and our " + type + " lacks " + missing.values());
        }
    }

    private void compareEnum(String name, EnumDescriptorProto our) {
        EnumDescriptorProto their = real.enums.get(name);
        if (their == null) {
            differences.add(name + ": Hadoop has no such enum");
            return;
        }
        Map<Integer, String> known = valuesOf(their);
        valuesOf(our).forEach((number, value) -> {
            if (!known.containsKey(number) && !isOlder) {
                differences.add(name + "." + value + ": Hadoop has no value " + number);
            } else if (known.containsKey(number) && !value.equals(known.get(number))) {
                differences.add(name + "." + value + ": ours is " + number + ", which Hadoop calls " + known.get(number));
            }
        });
    }

    private static Map<Integer, String> valuesOf(EnumDescriptorProto type) {
        return type == null ? new TreeMap<>()
                : type.getValueList().stream().collect(Collectors.toMap(EnumValueDescriptorProto::getNumber, EnumValueDescriptorProto::getName,
                        (first, alias) -> first, TreeMap::new));
    }

    private static String describe(FieldDescriptorProto field) {
        String type = field.hasTypeName() ? field.getTypeName() : field.getType().name().substring("TYPE_".length()).toLowerCase();
        return field.getLabel().name().substring("LABEL_".length()).toLowerCase() + " " + type + " " + field.getName() + " = " + field.getNumber()
                + (field.hasDefaultValue() ? " [default = " + field.getDefaultValue() + "]" : "") + (field.getOptions().getPacked() ? " [packed]" : "");
    }
}
